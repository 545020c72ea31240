const SHOWN_MS = 1_500;

/** The buttons that copy the code beside them; over plain http a browser lets no page copy. */
export function copyOnClick(): void {
  if (!('clipboard' in navigator)) {
    for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) button.hidden = true;
    return;
  }
  const copied = document.querySelector('main')?.dataset.copied ?? '';
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('[data-copy]') : null;
    const code = button?.closest('.block')?.querySelector('code')?.textContent;
    if (!button || code === undefined) return;
    const { textContent } = button;
    await navigator.clipboard.writeText(code);
    button.textContent = copied;
    setTimeout(() => {
      button.textContent = textContent;
    }, SHOWN_MS);
  });
}
