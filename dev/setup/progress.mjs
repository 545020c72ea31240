const LINE_EVERY_MS = 10_000;

export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs `work` under a title, and says every ten seconds how long it takes. */
export async function step(title, work) {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  say(`${title} …`);
  const ticking = setInterval(() => say(`${title}: ${seconds()}`), LINE_EVERY_MS);
  try {
    const result = await work();
    say(`${title}: done in ${seconds()}`);
    return result;
  } finally {
    clearInterval(ticking);
  }
}
