import { constants, getPriority, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';
import type { ReceiptView } from '../../../web/page/receipt-data.ts';
import { drawReceipt } from './file.ts';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

// Where cores are few, what answers requests goes first. Linux sets the calling thread alone; elsewhere it would be the process.
if (process.platform === 'linux' && getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);

/** A thread's own file: draws each receipt that it is sent, and sends its bytes back. One that it cannot draw ends it. */
parentPort?.on('message', async (view: ReceiptView) => parentPort?.postMessage(await buffer(drawReceipt(view))));
