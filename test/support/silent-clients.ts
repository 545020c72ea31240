import { connect } from 'node:net';

/** Opens many connections from one address that say nothing, as fast as they are taken, and tells how many were made. */
const [port, localAddress, count] = process.argv.slice(2);
const AT_ONCE = 200;

let [opened, left] = [0, Number(count)];

function next(): void {
  if (left === 0) return;
  left -= 1;
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
  socket.once('connect', () => {
    opened += 1;
    if (opened % 1_000 === 0) process.send?.(opened);
    next();
  });
  // It may be refused or ended: then there is one less.
  socket.on('error', () => {});
  socket.resume();
}

for (let first = 0; first < AT_ONCE; first += 1) next();
process.once('disconnect', () => process.exit(0));
