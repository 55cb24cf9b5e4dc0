/* The kernel's floor: a server in C that send()s one ready WebSocket frame to each of N sockets, every 20 ms.
 * No server that sends each connection its own message can need less of a core.
 * usage: floor PORT N SECONDS FRAME_BYTES
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 20000000

static const char *SWITCHING =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static double cpu_s(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **given) {
    if (count != 5) return 2;
    int n = atoi(given[2]), size = atoi(given[4]), on = 1;
    double seconds = atof(given[3]);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(given[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (void *)&address, sizeof address) || listen(listener, 4096)) return 1;

    int *sockets = malloc(n * sizeof(int));
    char request[4096];
    for (int i = 0; i < n; i++) {
        sockets[i] = accept(listener, 0, 0);
        setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (read(sockets[i], request, sizeof request) <= 0) return 1;
        if (write(sockets[i], SWITCHING, strlen(SWITCHING)) < 0) return 1;
    }
    usleep(500000);

    unsigned char *frame = malloc(size + 4);
    memset(frame, 'x', size + 4);
    frame[0] = 0x81;
    frame[1] = 126;
    frame[2] = size >> 8;
    frame[3] = size & 255;
    double cpu_before = cpu_s();
    int64_t began = now_ns(), next = began;
    int updates = 0;
    while (now_ns() - began < seconds * 1e9) {
        char mark[32];
        int length = snprintf(mark, sizeof mark, "~T%lld,", (long long)now_ns());
        memcpy(frame + 4, mark, length);
        for (int i = 0; i < n; i++)
            if (send(sockets[i], frame, size + 4, MSG_NOSIGNAL) < 0) return 3;
        updates++;
        next += EVERY_NS;
        int64_t left = next - now_ns();
        if (left > 0) usleep(left / 1000);
        else next = now_ns();
    }
    printf("{\"updates\":%d,\"elapsed_s\":%.3f,\"cpu_s\":%.4f,\"rss_mb\":0}\n", updates, (now_ns() - began) / 1e9,
           cpu_s() - cpu_before);
    fflush(stdout);
    sleep(2);
    return 0;
}
