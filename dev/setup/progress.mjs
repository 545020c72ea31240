const LINE_EVERY_MS = 10_000;
const TICK_MS = 1_000;

/** Titles of what is under way, with when it began. */
const running = new Map();
let ticking = null;

const secondsSince = (startedAt) => Math.round((Date.now() - startedAt) / 1000);

/** Prints one line of its own, clearing a counter that stands there. */
export function say(line) {
  process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${line}\n`);
}

/** Runs `work` under a title with the elapsed seconds: a counter on a terminal, else a line every 10 s. */
export async function step(title, work) {
  const startedAt = Date.now();
  say(`${title} …`);
  running.set(title, startedAt);
  ticking ??= setInterval(tell, process.stderr.isTTY ? TICK_MS : LINE_EVERY_MS);
  try {
    const result = await work();
    say(`${title}: done in ${secondsSince(startedAt)} s`);
    return result;
  } finally {
    running.delete(title);
    if (running.size === 0) {
      clearInterval(ticking);
      ticking = null;
    }
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}

/** What goes on at once shares the line of a terminal. */
function tell() {
  const steps = [...running].map(([title, startedAt]) => ({ title, seconds: secondsSince(startedAt) }));
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K  ${steps.map(({ seconds }) => `${seconds} s`).join(', ')}`);
  else for (const { title, seconds } of steps) say(`${title}: ${seconds} s`);
}
