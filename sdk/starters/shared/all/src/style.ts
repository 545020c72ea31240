/** The look of every page, on phones first. */
export const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 26rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.2; }
img { display: block; width: 15rem; max-width: 100%; margin: 1rem auto; border-radius: 0.5rem; }
code { display: block; padding: 0.75rem; border: 1px solid #8888; border-radius: 0.5rem; font-size: 0.875rem; overflow-wrap: anywhere; }
button { width: 100%; min-height: 3rem; border: 0; border-radius: 0.5rem; background: #0b6e4f; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
button.second { border: 1px solid #8888; background: none; color: inherit; }
button:focus-visible { outline: 3px solid #2a7de1; outline-offset: 2px; }
small { overflow-wrap: anywhere; }
`;
