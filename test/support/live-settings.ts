import { issue, newAuthority } from '../../dev/fake-psp/certificates.ts';
import { DAY, SECOND_MS } from '../../server/kernel/time.ts';
import type { ApiPixSettings } from '../../server/payments/acquirer/api-pix/settings.ts';
import { setLiveAcquirer } from '../../server/payments/live/store.ts';
import type { TestApi } from './api.ts';
import { rolesOf } from './roles.ts';

const authority = newAuthority('a PSP that nobody calls');

/** Settings of a PSP that is not called, with a certificate of their own. */
export async function settingsOfNobody(given: Partial<ApiPixSettings> = {}): Promise<ApiPixSettings> {
  const { certificatePem, keyPem } = await issue(await authority, { name: 'loja', days: 365 });
  return {
    profile: 'efi',
    clientId: 'client',
    clientSecret: 'segredo',
    certificate: certificatePem,
    key: keyPem,
    pixKey: 'dono@loja.test',
    // Whatever asks after all reaches no bank.
    baseUrl: 'https://psp.invalid/v2',
    tokenUrl: 'https://psp.invalid/oauth/token',
    ca: null,
    callbackCa: null,
    extras: {},
    receiverAccount: null,
    receiverType: null,
    receiverBranch: null,
    chargesPerSecond: 20,
    ...given,
  };
}

/** Configures an account whose certificate ends so many days from the test's now on. */
export async function configureLive(
  { composition: { deps } }: Pick<TestApi, 'composition'>,
  accountId: string,
  { days, ...given }: { days: number } & Partial<ApiPixSettings>,
): Promise<void> {
  const settings = await settingsOfNobody(given);
  const certificateEndsAt = new Date((deps.clock.real() + days * DAY) * SECOND_MS);
  const row = { accountId, method: 'pix', settings, certificateEndsAt } as const;
  await setLiveAcquirer(rolesOf(deps.pool).operator.pool, deps.secretBox, row);
}
