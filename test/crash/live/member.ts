import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Operation, ProfileName, Requests, Trouble } from '../../../dev/fake-psp/psp.ts';
import type { LiveShop } from '../../api/live/live-shop.ts';
import { compareBooks, findUntold } from '../../api/live/troubled.ts';
import type { FailpointName } from '../../support/failpoints.ts';
import { until } from '../../support/stack.ts';
import { type Books, readBooks } from '../books.ts';
import {
  type Answers,
  answerOf,
  type Death,
  type DeathAtPsp,
  expectSound,
  type Fate,
  type Prepared,
  type Scene,
} from '../cell.ts';
import type { Member } from '../gang.ts';
import type { ApiProcess } from '../processes.ts';
import { endLeasesOf } from '../rest.ts';
import type { Shop } from '../stage.ts';
import { type LiveStage, liveAt } from './stage.ts';

/** A trouble of one merchant. */
export type Mischief = Omit<Trouble, 'merchant'>;

/** What a live cell is made in: `merchant` has the live key. */
export interface LiveScene extends Scene {
  readonly stage: LiveStage;
  readonly live: LiveShop;
  /** From now on, until the PSP is well again. */
  trouble(...mischief: readonly Mischief[]): void;
}

/** Where the process dies: at a named step, or while the PSP has been asked and has not answered. */
export type LiveDeath = Extract<Death, { at: FailpointName }> | (DeathAtPsp & { readonly whileAsked: Operation });

/** Money by our books and by the PSP's, which is asked in the place of the sandbox's bank. */
export interface LiveBooks extends Books {
  /** What became of each QR code at the PSP, oldest first. */
  readonly cobs: string[];
}

/** One way to lose a process whose account has a PSP of the profile. */
export interface LiveCell extends Fate {
  readonly death: LiveDeath;
  readonly profile: ProfileName;
  /** What the PSP does from the moment that the process is sent to its death. */
  readonly troubles: readonly Mischief[];
  prepare(scene: LiveScene): Promise<Prepared>;
  meanwhile?(scene: LiveScene, prepared: Prepared): Promise<unknown>;
  finish?(scene: LiveScene, prepared: Prepared): Promise<unknown>;
  readonly books: LiveBooks;
  /** Of events; cases that are at it side by side may each tell of their own first. As foretold unless said otherwise. */
  readonly order?: 'any';
}

/** One cell with a merchant, an invoice and an Idempotency-Key of its own, at a PSP that others share. */
export class LiveMember implements Member {
  readonly answers: Answers;
  readonly #cell: LiveCell;
  readonly #scene: LiveScene;
  readonly #prepared: Prepared;
  readonly #asked: Requests;

  private constructor(cell: LiveCell, scene: LiveScene, prepared: Prepared) {
    this.answers = cell.answers;
    this.#cell = cell;
    this.#scene = scene;
    this.#prepared = prepared;
    this.#asked = this.#requests;
  }

  static async of(stage: LiveStage, cell: LiveCell): Promise<LiveMember> {
    const shop = await stage.newShop();
    const live = await stage.openLive(shop, cell.profile);
    const trouble = (...mischief: readonly Mischief[]): void =>
      live.psp.troubles.set(...mischief.map((each) => ({ ...each, merchant: live.credentials.clientId })));
    const scene = { stage, shop, live, trouble, merchant: liveAt(shop, stage.witness), key: randomUUID() };
    const prepared = await cell.prepare(scene);
    trouble(...cell.troubles);
    return new LiveMember(cell, scene, prepared);
  }

  async strike(victim: ApiProcess): Promise<string> {
    const { strike } = this.#prepared;
    if (strike === undefined) return this.send(victim);
    try {
      await strike(victim);
      return 'done';
    } catch (error) {
      return victim.isAlive ? String(error) : 'CONNECTION_FAILED';
    }
  }

  send(process: ApiProcess): Promise<string> {
    return answerOf(this.#prepared.request(liveAt(this.#shop, process), this.#scene.key));
  }

  rival(process: ApiProcess, drawn: number): Promise<string> {
    const { rivals } = this.#prepared;
    const request = rivals[drawn % rivals.length];
    return request === undefined ? Promise.resolve('') : answerOf(request(liveAt(this.#shop, process), randomUUID()));
  }

  async isAtBank(): Promise<void> {
    const { death } = this.#cell;
    if (!('whileAsked' in death)) throw new Error(`the cell ${this.#cell.name} does not die at its PSP`);
    const { whileAsked } = death;
    await until(`${whileAsked} at the PSP`, async () => this.#requests[whileAsked] > this.#asked[whileAsked]);
  }

  async afterDeath(): Promise<void> {
    await this.#cell.meanwhile?.(this.#scene, this.#prepared);
    await this.#scene.live.psp.quiet();
  }

  endLeases(): Promise<void> {
    return endLeasesOf(this.#scene.stage.composition.deps, this.#shop);
  }

  async look(): Promise<void> {
    await this.#scene.live.work();
  }

  async rest(): Promise<void> {
    const { live } = this.#scene;
    live.psp.troubles.clear({ merchant: live.credentials.clientId });
    live.psp.settleReturns(live.credentials);
    await findUntold(live);
  }

  async finish(): Promise<void> {
    await this.#cell.finish?.(this.#scene, this.#prepared);
  }

  async expectForetold(): Promise<void> {
    const { books, order } = this.#cell;
    const told = ({ events }: LiveBooks): string[] => (order === 'any' ? events.toSorted() : events);
    const found = await this.#books();
    expect({ ...found, events: told(found) }).toEqual({ ...books, events: told(books) });
    await this.#expectEqual();
  }

  async expectSound(): Promise<void> {
    expectSound(await this.#books());
    await this.#expectEqual();
  }

  /** No money twice, none lost: what both books have came in and went back. */
  async #expectEqual(): Promise<void> {
    const { ours, theirs, surplusKept } = await compareBooks(this.#scene.live);
    expect(ours).toEqual(theirs);
    expect(surplusKept).toEqual([]);
  }

  get #shop(): Shop {
    return this.#scene.shop;
  }

  get #requests(): Requests {
    const { psp, credentials } = this.#scene.live;
    return psp.requests(credentials);
  }

  async #books(): Promise<LiveBooks> {
    const { psp, credentials } = this.#scene.live;
    const { cobs, payments, returns } = psp.books(credentials);
    return {
      ...(await readBooks(this.#scene.stage.composition.deps.pool, this.#prepared.invoiceId)),
      cobs: cobs.map(({ status }) => status),
      receipts: payments.map(({ amount }) => amount),
      returns: returns.map(({ amount, status }) => `${amount}${RETURN_ENDS[status]}`),
    };
  }
}

const RETURN_ENDS = { DEVOLVIDO: '', NAO_REALIZADO: ' refused', EM_PROCESSAMENTO: ' in process' } as const;
