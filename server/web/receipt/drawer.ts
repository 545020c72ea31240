import { buffer } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';
import type { ReceiptView } from '../checkout/receipt-data.ts';
import { drawReceipt } from './file.ts';

/** A thread's own file: draws each receipt that it is sent, and sends its bytes back. One that it cannot draw ends it. */
parentPort?.on('message', async (view: ReceiptView) => parentPort?.postMessage(await buffer(drawReceipt(view))));
