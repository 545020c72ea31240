const LINE_EVERY_MS = 10_000;
const TICK_MS = 1_000;

/** Prints one line of its own, clearing a counter that stands there. */
export function say(line) {
  process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${line}\n`);
}

/** Runs `work` under a title with the elapsed seconds: a counter on a terminal, else a line every 10 s. */
export async function step(title, work) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const isTty = Boolean(process.stderr.isTTY);
  say(`${title} …`);
  const timer = setInterval(
    () => (isTty ? process.stderr.write(`\r\x1b[K  ${seconds()} s`) : say(`${title}: ${seconds()} s`)),
    isTty ? TICK_MS : LINE_EVERY_MS,
  );
  try {
    const result = await work();
    say(`${title}: done in ${seconds()} s`);
    return result;
  } finally {
    clearInterval(timer);
    if (isTty) process.stderr.write('\r\x1b[K');
  }
}
