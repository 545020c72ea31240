import type { ReactNode } from 'react';
import { PRODUCT } from '../src/shop.ts';

export const metadata = { title: PRODUCT };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="pt-BR">
      <body>
        <h1>{PRODUCT}</h1>
        {children}
      </body>
    </html>
  );
}
