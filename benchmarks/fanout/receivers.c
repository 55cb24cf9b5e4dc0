/* N receivers on loopback in one epoll loop, so that the load generator is no slower than the fastest server.
 * usage: receivers PORT N MODE PATH SLOW MAX_SECONDS
 *   MODE: ws (receive only), railbird (a WebSocket that enters first), sse
 *   SLOW: so many of the N never read once they are in
 * Latency: this clock at arrival minus the nanoseconds behind the mark "~T" in the message; a mark below 1000 is no update.
 * It stops 1.5 s after the last update, or MAX_SECONDS after the first, or 30 s after the start where none comes.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int fd;
    char *bytes;
    int length, room;
} Receiver;

static uint32_t *latencies_us;
static size_t received, latency_room;
static int64_t first_ns, last_ns;
static long long payload_bytes;

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

static void take(const char *message, int length) {
    const char *mark = memmem(message, length < 4096 ? length : 4096, "~T", 2);
    if (!mark) return;
    int64_t now = now_ns(), sent = 0;
    for (const char *digit = mark + 2; digit < message + length && *digit >= '0' && *digit <= '9'; digit++)
        sent = sent * 10 + (*digit - '0');
    if (sent < 1000) return;
    if (!first_ns) first_ns = now;
    last_ns = now;
    if (received == latency_room) latencies_us = realloc(latencies_us, (latency_room *= 2) * sizeof *latencies_us);
    latencies_us[received++] = (uint32_t)((now - sent) / 1000);
    payload_bytes += length;
}

static int take_events(const char *bytes, int length) {
    int done = 0;
    const char *end;
    while ((end = memmem(bytes + done, length - done, "\n\n", 2))) {
        int next = end + 2 - bytes;
        take(bytes + done, next - done);
        done = next;
    }
    return done;
}

static int take_frames(int fd, const char *bytes, int length) {
    int done = 0;
    while (length - done >= 2) {
        const unsigned char *frame = (const void *)(bytes + done);
        uint64_t size = frame[1] & 127;
        int head = 2;
        if (size == 126) {
            if (length - done < 4) break;
            size = frame[2] << 8 | frame[3];
            head = 4;
        } else if (size == 127) {
            if (length - done < 10) break;
            size = 0;
            for (int i = 2; i < 10; i++) size = size << 8 | frame[i];
            head = 10;
        }
        if ((uint64_t)(length - done) < head + size) break;
        if ((frame[0] & 15) == 9) {
            const unsigned char pong[6] = {0x8a, 0x80, 0, 0, 0, 0};
            if (write(fd, pong, sizeof pong) < 0) perror("pong");
        } else if ((frame[0] & 15) == 1) {
            take((const char *)frame + head, size);
        }
        done += head + size;
    }
    return done;
}

static int open_receiver(Receiver *receiver, int port, const char *mode, const char *path, int slow) {
    int sse = !strcmp(mode, "sse"), on = 1, small = 4096;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    receiver->room = 1 << 16;
    receiver->bytes = malloc(receiver->room);
    receiver->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (slow) setsockopt(receiver->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (connect(receiver->fd, (void *)&address, sizeof address)) return -1;
    setsockopt(receiver->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    char request[2048];
    int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", path, port,
                        sse ? "Accept: text/event-stream\r\n"
                            : "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n");
    if (write(receiver->fd, request, size) != size) return -1;
    for (;;) { /* the response head, blocking, so that the accept queue does not overflow */
        int got = read(receiver->fd, receiver->bytes + receiver->length, receiver->room - receiver->length);
        if (got <= 0) return -1;
        receiver->length += got;
        char *end = memmem(receiver->bytes, receiver->length, "\r\n\r\n", 4);
        if (!end) continue;
        if (!memmem(receiver->bytes, receiver->length, sse ? " 200 " : " 101 ", 5)) return -1;
        int head = end + 4 - receiver->bytes;
        memmove(receiver->bytes, receiver->bytes + head, receiver->length - head);
        receiver->length -= head;
        break;
    }
    if (!strcmp(mode, "railbird")) {
        const char *enter = "{\"type\":\"enter\"}";
        unsigned char frame[64] = {0x81, 0x80 | (unsigned char)strlen(enter), 0, 0, 0, 0};
        memcpy(frame + 6, enter, strlen(enter));
        if (write(receiver->fd, frame, 6 + strlen(enter)) < 0) return -1;
    }
    return fcntl(receiver->fd, F_SETFL, O_NONBLOCK);
}

static int by_size(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return a < b ? -1 : a > b;
}

int main(int count, char **given) {
    if (count != 7) return 2;
    int port = atoi(given[1]), n = atoi(given[2]), slow = atoi(given[5]), sse = !strcmp(given[3], "sse");
    double max_s = atof(given[6]);
    latency_room = 1 << 20;
    latencies_us = malloc(latency_room * sizeof *latencies_us);
    int waiting = epoll_create1(0), closed = 0;
    Receiver *receivers = calloc(n, sizeof *receivers);
    for (int i = 0; i < n; i++) {
        if (open_receiver(receivers + i, port, given[3], given[4], i < slow)) {
            fprintf(stderr, "receiver %d was not let in\n", i);
            return 1;
        }
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        if (i >= slow) epoll_ctl(waiting, EPOLL_CTL_ADD, receivers[i].fd, &event);
    }
    struct epoll_event events[512];
    double cpu_before = cpu_s();
    int64_t began = now_ns();
    while (closed < n - slow) {
        int ready = epoll_wait(waiting, events, 512, 200);
        int64_t now = now_ns();
        if (last_ns && now - last_ns > 1500000000LL) break;
        if (first_ns ? now - first_ns > max_s * 1e9 : now - began > 30e9) break;
        for (int k = 0; k < ready; k++) {
            Receiver *r = receivers + events[k].data.u32;
            if (r->room - r->length < 32768) r->bytes = realloc(r->bytes, r->room *= 2);
            int got = read(r->fd, r->bytes + r->length, r->room - r->length);
            if (got <= 0) {
                if (got < 0 && errno == EAGAIN) continue;
                close(r->fd);
                closed++;
                continue;
            }
            r->length += got;
            int done = sse ? take_events(r->bytes, r->length) : take_frames(r->fd, r->bytes, r->length);
            memmove(r->bytes, r->bytes + done, r->length - done);
            r->length -= done;
        }
    }
    double cpu = cpu_s() - cpu_before, span = (last_ns - first_ns) / 1e9;
    qsort(latencies_us, received, sizeof *latencies_us, by_size);
    printf("{\"messages\":%zu,\"span_s\":%.3f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"cpu_s\":%.3f,\"bytes\":%.0f,\"closed\":%d}\n",
           received, span, received ? latencies_us[received / 2] / 1e3 : 0,
           received ? latencies_us[(size_t)(received * .99)] / 1e3 : 0, cpu,
           received ? (double)payload_bytes / received : 0, closed);
    return 0;
}
