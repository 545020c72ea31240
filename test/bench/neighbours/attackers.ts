import { advances } from './advances.ts';
import type { Attacker } from './attacker.ts';
import { buyersPages, receipts } from './buyers-pages.ts';
import { cannon } from './cannon.ts';
import { errorAmplification } from './error-amplification.ts';
import { evenPace } from './even-pace.ts';
import { failingEndpoints } from './failing-endpoints.ts';
import { hugePages } from './huge-pages.ts';
import { lockedRows } from './locked-rows.ts';
import { silentNames } from './silent-names.ts';
import { slowLists } from './slow-lists.ts';
import { slowReaders } from './slow-readers.ts';

/** Everybody who tries to harm neighbours, and behind them one who does not. */
export const attackers: readonly Attacker[] = [
  slowLists,
  lockedRows,
  hugePages,
  slowReaders,
  errorAmplification,
  cannon,
  silentNames,
  failingEndpoints,
  advances,
  buyersPages,
  receipts,
  evenPace,
];
