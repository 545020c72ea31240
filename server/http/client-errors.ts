import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCatalog } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { errorBody } from './error-handler.ts';

/** A client that still sends gets this long to read the answer before its connection is cut. */
const LINGER_MS = 1_000;

/** The refusal of what Node's parser of HTTP gave up on. */
function refusalOf({ code }: NodeJS.ErrnoException): BillingError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new BillingError('PAYLOAD_TOO_LARGE', { message: 'The URL and the headers are larger than 16 KiB' });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new BillingError('PARAMETER_INVALID', { message: 'The request did not come in whole in time' });
  }
  return new BillingError('PARAMETER_INVALID', { message: 'The request is not well-formed HTTP' });
}

function responseOf(refusal: BillingError, context: { requestId: string; publicUrl: string }): string {
  const { status } = errorCatalog[refusal.code];
  const body = JSON.stringify(errorBody(refusal, context));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${context.requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Answers with the usual error body what never becomes a request: no route and no middleware sees it. */
export function answerClientErrors(server: Server, { logger, settings }: Pick<Deps, 'logger' | 'settings'>): void {
  const answered = new WeakSet<Duplex>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => latest.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser tells of each packet that comes after the faulty one.
    if (answered.has(socket)) return;
    answered.add(socket);
    const response = latest.get(socket);
    const isAnswering = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering) return void socket.destroy(error);
    const requestId = newId('req');
    const refusal = refusalOf(error);
    const { status } = errorCatalog[refusal.code];
    logger.info({ route: 'none', status, code: refusal.code, reason: error.code, requestId }, 'request');
    socket.end(responseOf(refusal, { requestId, publicUrl: settings.publicUrl }));
    const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(cut));
  });
}
