import type { AcquirerCredentials, AcquirerTest } from '../../contract/account-settings.ts';
import { type Changer, changeLogged } from '../audit-log/audit-log.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing, type Violation } from '../kernel/errors.ts';
import { modeNotServed } from '../kernel/mode.ts';
import { snakeCase } from '../kernel/text.ts';
import { realTimeMs } from '../kernel/time.ts';
import { changeAcquirer, ofAcquirer, settingsNow } from '../payments/live/change.ts';
import type { LiveMethod, LiveSettings, OfMethod } from '../payments/live/method.ts';
import { liveMethod } from '../payments/live/methods.ts';
import { noticeUrl } from '../payments/live/notice-url.ts';
import { probe } from '../payments/live/probe.ts';
import { SettingsInvalid } from '../payments/live/rules.ts';
import { openSettings, readLiveAcquirer } from '../payments/live/store.ts';

type AcquirerDeps = Pick<Deps, 'pool' | 'secretBox' | 'settings'>;

/** The account, and its owner who asks. */
interface Owned {
  readonly accountId: string;
  readonly changer: Changer;
}

function requireLive({ settings: { modes } }: AcquirerDeps): void {
  if (!modes.includes('live')) throw modeNotServed(modes);
}

/** What stays of the same acquirer: what only an operator sets, and what need not be given again. */
function keptOf({ options }: LiveMethod, before: LiveSettings | null, credentials: AcquirerCredentials): object {
  if (before === null || ('profile' in credentials && credentials.profile !== before.profile)) return {};
  const replaced = options.filter(({ isOperators, staysUnlessGiven }) => !(isOperators ?? staysUnlessGiven));
  return Object.fromEntries(Object.entries(before).filter(([name]) => !replaced.some((one) => one.name === name)));
}

/** The credentials of a body by the names of the settings. */
const namedAsSettings = ({ options }: LiveMethod, credentials: object): Record<string, unknown> => {
  const nameOf = (field: string): string => options.find(({ name }) => snakeCase(name) === field)?.name ?? field;
  return Object.fromEntries(Object.entries(credentials).map(([field, value]) => [nameOf(field), value]));
};

function readSettings(live: LiveMethod, given: Readonly<Record<string, unknown>>): LiveSettings {
  try {
    return live.settingsOf(given, new Date(realTimeMs()));
  } catch (error) {
    if (!(error instanceof SettingsInvalid)) throw error;
    const violations = error.problems.map(
      ({ name, message }): Violation => ({ param: snakeCase(name), code: 'PARAMETER_INVALID', message }),
    );
    const [first] = violations;
    throw new BillingError('PARAMETER_INVALID', {
      message: `${first?.param} ${first?.message}`,
      ...(first?.param != null && { param: first.param }),
      violations,
    });
  }
}

/** Refuses credentials that the acquirer does not take: those of before go on. */
async function requireTaken(of: OfMethod, settings: LiveSettings, publicUrl: string): Promise<void> {
  for await (const { ok, detail } of probe(of, { settings, publicUrl, token: '' })) {
    if (ok) return;
    throw new BillingError('PARAMETER_INVALID', { message: `The acquirer does not take these credentials: ${detail}` });
  }
}

/** Sets who moves the live money of an account, once the acquirer has taken the credentials. */
export async function setAcquirer(
  deps: AcquirerDeps,
  { accountId, changer }: Owned,
  credentials: AcquirerCredentials,
): Promise<void> {
  requireLive(deps);
  const { method, ...given } = credentials;
  const of = { accountId, method };
  const live = liveMethod(method);
  const kept = keptOf(live, await settingsNow(deps.pool, deps.secretBox, of), credentials);
  const settings = readSettings(live, { ...kept, ...namedAsSettings(live, given) });
  await requireTaken(of, settings, deps.settings.publicUrl);
  await changeLogged(changer, (tx) => changeAcquirer(tx, deps.secretBox, { ...of, settings }));
}

/** Tries what is set at the acquirer itself, as `admin acquirer test` does. */
export async function testAcquirer(
  deps: AcquirerDeps,
  { accountId, changer }: Owned,
  method: OfMethod['method'],
): Promise<AcquirerTest> {
  requireLive(deps);
  const of = { accountId, method };
  const { publicUrl } = deps.settings;
  const row = await readLiveAcquirer(deps.pool, of);
  if (row === null) throw missing('live acquirer', method);
  const { settings, noticeToken: token } = openSettings(deps.secretBox, row);
  // First: what the acquirer is told is not taken back where the entry cannot be written.
  const asked = { before: null, after: { public_url: publicUrl } };
  await changeLogged(changer, (tx) => tx.log({ ...ofAcquirer('acquirer.tested', of), ...asked }));
  const steps = await Array.fromAsync(probe(of, { settings, publicUrl, token }));
  return { steps, callback_url: liveMethod(method).registersCallbacks ? null : noticeUrl(publicUrl, token) };
}
