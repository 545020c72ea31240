import { type FakePsp, type MerchantCredentials, type profileNames, startFakePsp } from '../../../dev/fake-psp/psp.ts';
import { newId } from '../../../server/kernel/ids.ts';
import { type ApiPixAcquirer, createApiPixAcquirer } from '../../../server/payments/acquirer/api-pix/adapter.ts';
import type { MandateSubject } from '../../../server/payments/acquirer/conformance.ts';
import type { AcquirerAnswer, Merchant } from '../../../server/payments/acquirer/port.ts';
import { settingsFor } from './psp.ts';

const HOUR_MS = 3_600_000;

const isRepeatable = (request: unknown): request is { isRepeat: boolean } =>
  typeof request === 'object' && request !== null && 'isRepeat' in request;

/** Asks until it is told what became of a call, as the service does. */
async function persistently<T>(
  tries: number,
  ask: (isRepeat: boolean) => Promise<AcquirerAnswer<T>>,
): Promise<AcquirerAnswer<T>> {
  let answer = await ask(false);
  const isTold = () => answer.known || answer.why === 'refused';
  for (let made = 1; made < tries && !isTold(); made += 1) answer = await ask(true);
  return answer;
}

/** What an acquirer answers, or why it does not. */
export async function saidBy<T>(answer: Promise<AcquirerAnswer<T>>): Promise<T | string> {
  const told = await answer;
  return told.known ? told.value : told.why;
}

/** Calls of mandates that ask until they are told what became of them, as the service does. */
export function persistentMandates(
  acquirerOf: (merchant: Merchant) => MandateSubject['acquirer'],
  tries: number,
): MandateSubject['acquirer'] {
  const each = <Call extends keyof MandateSubject['acquirer']>(call: Call): MandateSubject['acquirer'][Call] =>
    ((merchant: Merchant, ...rest: unknown[]) =>
      persistently(tries, (isRepeat) => {
        const [request] = rest;
        const asked = isRepeat && isRepeatable(request) ? [{ ...request, isRepeat }] : rest;
        return Reflect.apply(acquirerOf(merchant)[call], null, [merchant, ...asked]);
      })) as MandateSubject['acquirer'][Call];
  return {
    ...{ placeMandate: each('placeMandate'), createMandate: each('createMandate'), findMandate: each('findMandate') },
    ...{ cancelMandate: each('cancelMandate'), instruct: each('instruct'), findDebit: each('findDebit') },
    ...{ cancelDebit: each('cancelDebit'), retryDebit: each('retryDebit') },
    ...{ createPix: each('createPix'), findPix: each('findPix') },
  };
}

/** A PSP on a clock of the test's own, and an adapter for each of its merchants. */
export async function openPsp(profile: (typeof profileNames)[number], tries = 1) {
  let nowMs = Date.UTC(2027, 0, 20, 15);
  const psp: FakePsp = await startFakePsp({ profile, clock: () => nowMs });
  const open = new Map<string, { credentials: MerchantCredentials; adapter: ApiPixAcquirer }>();
  const of = ({ accountId }: Merchant) => {
    const found = open.get(accountId);
    if (found === undefined) throw new Error(`${accountId} is no merchant`);
    return found;
  };
  const subject: MandateSubject = {
    acquirer: persistentMandates((merchant) => of(merchant).adapter, tries),
    async newMerchant() {
      const accountId = newId('acct');
      const credentials = await psp.newMerchant();
      open.set(accountId, {
        credentials,
        adapter: createApiPixAcquirer(accountId, settingsFor(psp, credentials, profile)),
      });
      return { accountId, liveMode: true, name: 'Loja do Teste', city: 'SAO PAULO', now: Math.floor(nowMs / 1_000) };
    },
    afterReturn: async (merchant) => merchant,
    async at(merchant, day, hour) {
      nowMs = Date.parse(`${day}T00:00:00Z`) + (hour + 3) * HOUR_MS;
      psp.tick(of(merchant).credentials);
      return { ...merchant, now: Math.floor(nowMs / 1_000) };
    },
    approve: async (merchant, bankRef) => psp.approve(of(merchant).credentials, bankRef),
    reject: async (merchant, bankRef) => psp.rejectRec(of(merchant).credentials, bankRef),
    endAtBank: async (merchant, bankRef, by) =>
      psp.cancelRec(of(merchant).credentials, bankRef, by === 'payer' ? 'USUARIO_PAGADOR' : 'PSP_PAGADOR'),
    decide: async (merchant, txid, outcome) => psp.decideDebit(of(merchant).credentials, txid, outcome),
  };
  return {
    psp,
    subject,
    of,
    async close() {
      await Promise.all([...open.values()].map(({ adapter }) => adapter.close()));
      await psp.close();
    },
  };
}

export type OpenMandatePsp = Awaited<ReturnType<typeof openPsp>>;
