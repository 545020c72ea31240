import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** What a stream of a page tells in one message. */
interface Told {
  readonly standing: string;
}

const DATA = /^data: (.*)$/m;

/** A page of a purchase that somebody has open: its stream, read as a browser reads it. */
export class OpenPage {
  readonly address: string;
  readonly status: number;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<unknown>;
  readonly #response: IncomingMessage;
  readonly #waiting = new Map<string, () => void>();
  #received = '';
  #standing: string | null = null;

  private constructor(address: string, response: IncomingMessage) {
    this.address = address;
    this.status = response.statusCode ?? 0;
    this.#response = response.setEncoding('utf8');
    this.ended = new Promise((resolve) => response.once('close', resolve));
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('error', () => {}); // a service that ends breaks off what it had begun
  }

  static async of(address: string): Promise<OpenPage> {
    // A connection of its own, as that of another buyer's browser.
    const request = get(`${address}/events`, { agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new OpenPage(address, response);
  }

  /** How the purchase stands, as the page was told last. */
  get standing(): string | null {
    return this.#standing;
  }

  /** Resolves as soon as the page is told of a standing. */
  async told(standing: string): Promise<void> {
    if (this.#standing !== standing) await new Promise<void>((resolve) => this.#waiting.set(standing, resolve));
  }

  leave(): void {
    this.#response.destroy();
  }

  #take(chunk: string): void {
    const messages = (this.#received + chunk).split('\n\n');
    this.#received = messages.pop() ?? '';
    for (const message of messages) {
      const data = DATA.exec(message)?.[1];
      if (data !== undefined) this.#tell(JSON.parse(data) as Told); // as the page itself believes it
    }
  }

  #tell({ standing }: Told): void {
    this.#standing = standing;
    this.#waiting.get(standing)?.();
    this.#waiting.delete(standing);
  }
}

/** Opens so many pages at once, and waits until each was told how its purchase stands. */
export async function openPages(addresses: readonly string[], standing: string): Promise<OpenPage[]> {
  const pages = await Promise.all(addresses.map((address) => OpenPage.of(address)));
  await Promise.all(pages.map((page) => page.told(standing)));
  return pages;
}

/** What the script of a page asks for; throws what the answer says unless it is 200. */
export async function askFromPage(address: string, action: string): Promise<void> {
  const response = await fetch(`${address}/${action}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: '{}',
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${action} was answered ${response.status}: ${answer.slice(0, 500)}`);
}

/** The buyer of an open page pays its QR code; answers in how many milliseconds the page was told of it. */
export async function payAndWatch(page: OpenPage): Promise<number> {
  await askFromPage(page.address, 'pix');
  const startedMs = performance.now();
  await Promise.all([askFromPage(page.address, 'simulation'), page.told('paid')]);
  return performance.now() - startedMs;
}

/** Works through a list on so many lanes. */
export async function inLanes<T, R>(items: readonly T[], lanes: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
