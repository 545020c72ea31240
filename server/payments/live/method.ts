import type { z } from 'zod';
import type { Connection } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { AcquirerHalves, Method, PspRefusal } from '../acquirer/port.ts';

/** Whose acquirer of which method. */
export type OfMethod = { readonly accountId: string; readonly method: Method };

/** How one account reaches its acquirer. All but the profile is known to the method alone. */
export interface LiveSettings {
  /** The acquirer, by the name that logs and metrics show. */
  readonly profile: string;
  /** How often a second runs may ask it. */
  readonly chargesPerSecond: number;
}

/** An option of `admin acquirer set`: of one method, or of several, which then have the same object. */
export interface SettingOption {
  /** The setting that it gives. */
  readonly name: string;
  readonly flags: string;
  readonly description: string;
  readonly isRequired?: true;
  /** The text of a file is the setting: a secret must not stand in a shell's history or a process list. */
  readonly isFile?: true;
  readonly choices?: readonly string[];
  /** Given as name=value, any number of times. */
  readonly isMap?: true;
  /** The number that is given is the setting. */
  readonly isNumber?: true;
  /** An operator alone gives it: it says where this service calls, whom it believes, or what passes through it. */
  readonly isOperators?: true;
  /** An owner who gives new credentials without it keeps what was set. */
  readonly staysUnlessGiven?: true;
}

/** The certificate with which an acquirer is called. */
export interface AcquirerCertificate {
  /** The acquirer, as people call it. */
  readonly psp: string;
  readonly serial: string;
  readonly endsAt: Date;
}

/** A call that an acquirer did not do. */
export interface RefusedCall extends PspRefusal {
  readonly profile: string;
}

export type LiveAdapter<M extends Method> = AcquirerHalves[M] & { close(): Promise<void> };

/** What one step of a test of settings found. */
export interface ProbeStep {
  readonly step: string;
  readonly ok: boolean;
  readonly detail: string | null;
}

export type SweepOutcome = 'swept' | 'postponed' | 'not_due';

/** How payments are found that no callback told of. */
export interface LiveSweep {
  /** Since when money may have come in unseen at an account that had no acquirer; null: nothing is waited for. */
  waitingSince(pool: Connection, accountId: string): Promise<Timestamp | null>;
  perform(deps: Deps, accountId: string): Promise<SweepOutcome>;
}

/** A callback as it came. */
export interface Callback {
  /** The client certificate, as the proxy hands it on; null: none. */
  readonly certificate: string | null;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** What came of a callback: where nothing else is said, nothing of it is believed and the acquirer is asked. */
export type NoticeVerdict = 'taken' | 'certificate_refused' | 'signature_refused' | 'keys_unreadable' | 'unreadable';

/** What the live money of a payment method needs of its acquirers (docs/design/acquirer.md#live-money). */
export interface LiveMethod<M extends Method = Method, S extends LiveSettings = LiveSettings> {
  /** What is sealed for each account. */
  readonly settings: z.ZodType<S>;
  readonly options: readonly SettingOption[];
  /** The settings that the options give, by name; throws `SettingsInvalid` with all that is wrong with them. */
  settingsOf(given: Readonly<Record<string, unknown>>, now: Date): S;
  /** What may be shown of settings: no secret. */
  show(settings: S): object;
  /** Null: the acquirer is called without one. */
  certificateOf(settings: S): AcquirerCertificate | null;
  /** The acquirer of an account, and behind it those that it had before, which still hold money of it. */
  open(
    accountId: string,
    of: { settings: S; former: readonly S[] },
    onRefusal: (refused: RefusedCall) => void,
  ): LiveAdapter<M>;
  /** Whether two settings reach the same money. */
  isSameClient(one: S, other: S): boolean;
  /** Whether money may be held by the present acquirer of an account: what never made a charge holds none. */
  wasUsed(pool: Connection, accountId: string): Promise<boolean>;
  /** For how long a former acquirer is asked. Seconds. */
  readonly formerFor: number;
  /** Whether the test of settings registers the address of callbacks; otherwise the merchant does, at the acquirer. */
  readonly registersCallbacks: boolean;
  /** Tries settings at the acquirer itself, its credentials first; ends where nothing further can succeed. No money moves. */
  probe(accountId: string, settings: S, noticeUrl: string): AsyncGenerator<ProbeStep>;
  /** Null: the acquirer's callbacks alone tell what came in. */
  readonly sweep: LiveSweep | null;
  /** Has the cases of what a callback names ask the acquirer what is true. */
  receive(deps: Deps, of: { accountId: string; settings: S }, callback: Callback): Promise<NoticeVerdict>;
}
