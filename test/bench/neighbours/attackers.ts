import { advances } from './advances.ts';
import type { Attacker } from './attacker.ts';
import { buyersPages, receipts } from './buyers-pages.ts';
import { cannon } from './cannon.ts';
import { errorAmplification } from './error-amplification.ts';
import { failingEndpoints } from './failing-endpoints.ts';
import { hugePages } from './huge-pages.ts';
import { lockedRows } from './locked-rows.ts';
import { products } from './products.ts';
import { slowLists } from './slow-lists.ts';

/** Everybody who tries to harm neighbours. */
export const attackers: readonly Attacker[] = [
  products,
  slowLists,
  lockedRows,
  hugePages,
  errorAmplification,
  cannon,
  failingEndpoints,
  advances,
  buyersPages,
  receipts,
];
