// Node's `ws`: one room, one update of SIZE bytes every 20 ms to each of N sockets. usage: node node_ws.mjs PORT N SECONDS SIZE
// Run it in a folder that has the module: npm install ws
import { createRequire } from 'module';
import http from 'http';

const { WebSocketServer } = createRequire(process.cwd() + '/')('ws');
const [port, n, seconds, size] = process.argv.slice(2).map(Number);
const server = http.createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
server.listen(port, '127.0.0.1', 4096);

const update = () => {
  const head = `{"type":"game_state","mark":"~T${process.hrtime.bigint()}","filling":"`;
  return Buffer.from(head + 'x'.repeat(size - head.length - 2) + '"}');
};

const run = () => {
  const cpu = process.cpuUsage(), began = performance.now();
  let next = began, updates = 0;
  const step = () => {
    if (performance.now() - began >= seconds * 1000) return setTimeout(tell, 300);
    const ready = update();
    for (const socket of sockets.clients) socket.send(ready, { binary: false });
    updates++;
    next += 20;
    const left = next - performance.now();
    if (left < 0) next = performance.now();
    left > 0 ? setTimeout(step, left) : setImmediate(step);
  };
  const tell = () => {
    const used = process.cpuUsage(cpu);
    const rss_mb = process.memoryUsage().rss / 1e6;
    console.log(JSON.stringify({ updates, elapsed_s: seconds, cpu_s: (used.user + used.system) / 1e6, rss_mb }));
    setTimeout(() => process.exit(0), 2000);
  };
  step();
};
const wait = () => (sockets.clients.size >= n ? setTimeout(run, 500) : setTimeout(wait, 20));
wait();
