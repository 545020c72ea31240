import type { ReactNode } from 'react';
import { PRODUCT } from '../src/shop.ts';
import { STYLE } from '../src/style.ts';

export const metadata = { title: PRODUCT };
export const viewport = { width: 'device-width', initialScale: 1 };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="pt-BR">
      <head>
        <style>{STYLE}</style>
      </head>
      <body>
        <h1>{PRODUCT}</h1>
        {children}
      </body>
    </html>
  );
}
