'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';

const REFRESH_MS = 2_000;

/** The code to pay with, to be copied; asks for the page anew until it was paid. */
export function Code({ text }: { text: string }) {
  const { refresh } = useRouter();
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, [refresh]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
    }
  }
  return (
    <>
      <p>
        <code ref={shown}>{text}</code>
      </p>
      <p>
        <button id="copy" type="button" aria-live="polite" onClick={copy}>
          {isCopied ? 'Copiado' : 'Copiar código'}
        </button>
      </p>
    </>
  );
}
