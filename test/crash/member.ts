import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { FaturaError } from '../../sdk/src/index.ts';
import type { Deps } from '../../server/deps.ts';
import { until } from '../support/stack.ts';
import { type Books, readBooks } from './books.ts';
import { type Answers, answerOf, type Cell, expectSound, type Prepared, type Scene } from './cell.ts';
import type { Member } from './gang.ts';
import type { ApiProcess } from './processes.ts';
import { bringToRest, endLeasesOf, type Work, workOnce } from './rest.ts';
import type { Shop, Stage } from './stage.ts';

/** Longer than a test waits, so that the bank is still at work when the process is killed. */
const LATENCY_MS = 60_000;

/** One cell with a merchant, an invoice and an Idempotency-Key of its own. */
export class SandboxMember implements Member {
  readonly answers: Answers;
  readonly #cell: Cell;
  readonly #shop: Shop;
  readonly #scene: Scene;
  readonly #prepared: Prepared;
  #open: readonly Work[] = [];

  private constructor(cell: Cell, scene: Scene, prepared: Prepared) {
    this.answers = cell.answers;
    this.#cell = cell;
    this.#shop = scene.shop;
    this.#scene = scene;
    this.#prepared = prepared;
  }

  static async of(stage: Stage, cell: Cell): Promise<SandboxMember> {
    const shop = await stage.newShop();
    const scene = { stage, shop, merchant: shop.at(stage.witness), key: randomUUID() };
    const prepared = await cell.prepare(scene);
    await stage.behave(shop, cell.mode);
    if ('after' in cell.death && cell.death.isAtBank !== true)
      await stage.behave(shop, { [cell.death.duringCall]: { latency_ms: LATENCY_MS } });
    return new SandboxMember(cell, scene, prepared);
  }

  async strike(victim: ApiProcess): Promise<string> {
    const { strike } = this.#prepared;
    if (strike === undefined) return this.send(victim);
    try {
      await strike(victim);
      return 'done';
    } catch (error) {
      if (error instanceof FaturaError) return error.code;
      return victim.isAlive ? String(error) : 'CONNECTION_FAILED';
    }
  }

  send(process: ApiProcess): Promise<string> {
    return answerOf(this.#prepared.request(this.#shop.at(process), this.#scene.key));
  }

  rival(process: ApiProcess, drawn: number): Promise<string> {
    const { rivals } = this.#prepared;
    const request = rivals[drawn % rivals.length];
    return request === undefined ? Promise.resolve('') : answerOf(request(this.#shop.at(process), randomUUID()));
  }

  async afterDeath(): Promise<void> {
    const { death, meanwhile } = this.#cell;
    if ('after' in death) await this.#scene.stage.behave(this.#shop, { [death.duringCall]: { latency_ms: 0 } });
    await meanwhile?.(this.#scene, this.#prepared);
  }

  async isAtBank(): Promise<void> {
    await until('a charge at the acquirer', async () => (await this.#books()).charges.length > 0);
  }

  async finish(): Promise<void> {
    await this.#cell.finish?.(this.#scene, this.#prepared);
  }

  endLeases(): Promise<void> {
    return endLeasesOf(this.#deps, this.#shop);
  }

  async look(): Promise<void> {
    this.#open = await workOnce(this.#deps, this.#shop);
  }

  async rest(): Promise<void> {
    const started = this.#open;
    this.#open = [];
    await bringToRest(this.#deps, this.#shop, started);
  }

  async expectForetold(): Promise<void> {
    expect(await this.#books()).toEqual(this.#cell.books);
  }

  async expectSound(): Promise<void> {
    expectSound(await this.#books());
  }

  get #deps(): Deps {
    return this.#scene.stage.composition.deps;
  }

  #books(): Promise<Books> {
    return readBooks(this.#deps.pool, this.#prepared.invoiceId);
  }
}
