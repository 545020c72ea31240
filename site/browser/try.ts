/** The key lives here, in the memory of the page, and in none of its stores. */
let key = '';

const field = (form: HTMLFormElement, name: string): HTMLInputElement | null =>
  form.querySelector<HTMLInputElement>(`[name="${name}"]`);

/** Pages over plain http have no other source of random text. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');

async function send(form: HTMLFormElement): Promise<string> {
  const { method = 'GET', path = '' } = form.dataset;
  const query = field(form, 'query')?.value.trim() ?? '';
  const at =
    path.replace(/\{\w+\}/, () => encodeURIComponent(field(form, 'id')?.value.trim() ?? '')) + (query && `?${query}`);
  const body = field(form, 'body')?.value ?? (method === 'POST' ? '{}' : undefined);
  const startedAt = performance.now();
  const answer = await fetch(at, {
    method,
    headers: {
      Authorization: `ApiKey ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(method === 'POST' && { 'Idempotency-Key': newKey() }),
    },
    ...(body !== undefined && { body }),
  });
  const took = Math.round(performance.now() - startedAt);
  const text = await answer.text();
  return `${answer.status} · ${took} ms · ${answer.headers.get('Request-Id') ?? ''}\n\n${pretty(text)}`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function shareKey(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('.try [name="key"]')) input.value = key;
}

/** The forms that send an operation to this service. */
export function tryOperations(): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('.try')) {
    const form = details.querySelector('form');
    const output = details.querySelector('output');
    if (!form || !output) continue;
    details.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      key = field(form, 'key')?.value.trim() ?? '';
      shareKey();
      const button = form.querySelector('button');
      if (button) button.disabled = true;
      output.textContent = await send(form).catch((error: unknown) => String(error));
      if (button) button.disabled = false;
    });
  }
}
