import type { Request, Response } from 'express';
import { isFinal, type PurchaseView } from '../../web/page/page-data.ts';
import { limitOf } from '../admission/limits.ts';
import { tenantKey, workForAll } from '../admission/tenant.ts';
import type { Deps } from '../deps.ts';
import { Outage } from '../jobs/loop.ts';
import { FairSemaphore } from '../kernel/fair-semaphore.ts';
import { isLive, modeOf, type PerMode, perMode } from '../kernel/mode.ts';
import { isMissing, type Purchase, type PurchaseSource } from './purchase.ts';

/**
 * One look at all purchases that somebody watches, however many watch them: with what reading and writing take, a change is
 * told within a second.
 */
const LOOK_EVERY_MS = 500;
/** Proxies cut a connection that is silent for longer. */
const HEARTBEAT_EVERY_MS = 15_000;
/** A browser opens its stream anew after so long. */
const RETRY_MS = 3_000;
const LINK_STREAMS_MAX = 10;
/** Whoever left without a word is gone after so long; everybody else comes back. */
const STREAM_MAX_MS = 15 * 60_000;
/** A browser that reads so little has its stream ended. */
const UNREAD_BYTES_MAX = 64 * 1_024;

interface Stream {
  readonly response: Response;
  readonly link: Readonly<Record<string, string>>;
}

interface Watched {
  readonly streams: Set<Stream>;
  /** Null: what was sent is to be sent again, because it may have changed since it was read. */
  version: string | null;
}

interface StreamsOptions {
  readonly deps: Pick<Deps, 'logger' | 'metrics'>;
  readonly source: PurchaseSource<Purchase>;
  readonly view: (purchase: Purchase) => PurchaseView;
  /** Once aborted, all streams end and none begins. */
  readonly draining: AbortSignal;
  /** Of the streams of all pages. */
  readonly semaphores: PerMode<FairSemaphore>;
}

/** Streams of all accounts: fewer than the connections that a process holds. */
const STREAMS_MAX = 3_000;

/** How many streams of each account may be open, on all kinds of pages. */
export const streamSemaphores = (): PerMode<FairSemaphore> =>
  perMode((mode) => new FairSemaphore({ total: STREAMS_MAX, each: limitOf('streams', { liveMode: isLive(mode) }) }));

const messageOf = (view: PurchaseView): string => `event: purchase\ndata: ${JSON.stringify(view)}\n\n`;

/** Tells the pages that are open what becomes of their purchases (docs/product/payment-page.md#live). */
export function createStreams({ deps, source, view, draining, semaphores }: StreamsOptions) {
  const watched = new Map<string, Watched>();
  const outage = new Outage(deps.logger, 'the look at watched purchases');
  let open = 0;
  let looking: NodeJS.Timeout | null = null;
  let heartbeats: NodeJS.Timeout | undefined;

  const drop = (id: string, stream: Stream): void => {
    const { streams } = watched.get(id) ?? { streams: new Set<Stream>() };
    if (!streams.delete(stream)) return;
    open -= 1;
    if (streams.size === 0) watched.delete(id);
  };

  const tell = (id: string, text: string): void => {
    for (const { response } of watched.get(id)?.streams ?? []) {
      if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
      else response.write(text);
    }
  };

  const end = (id: string): void => {
    for (const { response } of watched.get(id)?.streams ?? []) response.end();
  };

  const show = async (id: string, version: string): Promise<void> => {
    const [stream] = watched.get(id)?.streams ?? [];
    const purchase = stream === undefined ? null : await source.find(stream.link);
    const entry = watched.get(id);
    if (purchase === null || isMissing(purchase) || entry === undefined) return;
    entry.version = version;
    tell(id, messageOf(view(purchase)));
    if (isFinal(purchase)) end(id);
  };

  const look = async (): Promise<void> => {
    const asked = new Map([...watched].map(([id, { version }]) => [id, version]));
    const versions = await source.versions([...asked.keys()]);
    for (const [id, version] of versions) if (asked.get(id) !== version) await show(id, version);
    outage.end();
  };

  const heartbeat = (): void => {
    for (const id of watched.keys()) tell(id, ': still there\n\n');
  };

  const lookOn = (): void => {
    looking = setTimeout(() => {
      look()
        .catch((error: unknown) => outage.begin(error))
        .finally(() => {
          if (open > 0) lookOn();
          else rest();
        });
    }, LOOK_EVERY_MS);
  };

  /** A look may wait for the database; the heartbeat does not. */
  const wake = (): void => {
    heartbeats = setInterval(heartbeat, HEARTBEAT_EVERY_MS);
    lookOn();
  };

  const rest = (): void => {
    clearInterval(heartbeats);
    looking = null;
  };

  draining.addEventListener('abort', () => {
    for (const id of watched.keys()) end(id);
  });

  return {
    /** Whether one more stream of a link may begin. */
    hasRoom({ id, scope }: Purchase): boolean {
      if (draining.aborted || (watched.get(id)?.streams.size ?? 0) >= LINK_STREAMS_MAX) return false;
      const hasRoom = semaphores[modeOf(scope)].left(tenantKey(scope)) > 0;
      if (!hasRoom) deps.metrics.limits.refuse('streams', scope);
      return hasRoom;
    },

    begin(
      request: Request,
      response: Response,
      { purchase, link }: { purchase: Purchase; link: Stream['link'] },
    ): void {
      // Whoever left while the purchase was read says so to nobody any more.
      if (response.closed) return;
      response.status(200).set({
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      response.write(`retry: ${RETRY_MS}\n\n${messageOf(view(purchase))}`);
      request.measure();
      // It is counted among the streams from here on.
      request.leave();
      const { scope } = purchase;
      const leave = semaphores[modeOf(scope)].tryAcquire(tenantKey(scope));
      if (leave === null) throw new Error('a stream that was not admitted begins');
      const stream = { response, link };
      const entry = watched.get(purchase.id) ?? { streams: new Set<Stream>(), version: null };
      entry.streams.add(stream);
      entry.version = null;
      watched.set(purchase.id, entry);
      open += 1;
      const life = setTimeout(() => response.end(), STREAM_MAX_MS);
      response.once('close', () => {
        clearTimeout(life);
        drop(purchase.id, stream);
        leave();
      });
      if (looking === null) workForAll(wake);
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
