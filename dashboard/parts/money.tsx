import { useFormat } from '../texts/format.ts';

/** Cents as money. */
export function Money({ cents }: { cents: number }) {
  return <span className="money">{useFormat().money(cents)}</span>;
}
