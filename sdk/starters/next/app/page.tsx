import { randomUUID } from 'node:crypto';
import { reais } from '../src/sales.ts';
import { AMOUNT } from '../src/shop.ts';

/** Each visit has an order of its own. */
export const dynamic = 'force-dynamic';

/** The button carries the name of the order, so that a double click sells once. */
export default function Home() {
  return (
    <form method="post" action={`/buy?order=${randomUUID()}`}>
      <button type="submit">Comprar por {reais(AMOUNT)} com PIX</button>
    </form>
  );
}
