import { type FakePsp, type ProfileName, startFakePsp } from '../../../dev/fake-psp/psp.ts';
import { DECISION_SECONDS, SESSION_SECONDS } from '../../../server/checkout/rules.ts';
import { type LiveShop, openLiveShop } from '../../api/live/live-shop.ts';
import { type ApiProcess, startApiProcess } from '../processes.ts';
import { type ServedMerchant, type Shop, type Stage, startStage } from '../stage.ts';

/** A merchant's live money: the client has the live key. */
export function liveAt(shop: Shop, process: ApiProcess): ServedMerchant {
  const served = shop.at(process);
  return { ...served, fatura: served.live };
}

/** A stage beside PSPs that outlive every process. */
export interface LiveStage extends Stage {
  /** A session that is opened there has come to its deadline by now, and whoever paid in time was told of. */
  readonly past: ApiProcess;
  /** A merchant at a PSP of the profile, whose callbacks come to the witness. */
  openLive(shop: Shop, profile: ProfileName): Promise<LiveShop>;
}

export async function startLiveStage(): Promise<LiveStage> {
  const stage = await startStage();
  const secondsBehind = SESSION_SECONDS + DECISION_SECONDS + 1;
  const past = await startApiProcess({ ...stage.served, secondsBehind });
  const psps = new Map<ProfileName, Promise<FakePsp>>();
  const pspOf = (profile: ProfileName): Promise<FakePsp> => {
    const psp = psps.get(profile) ?? startFakePsp({ profile, callbackRetriesMs: [10, 50] });
    psps.set(profile, psp);
    return psp;
  };
  return {
    ...stage,
    past,
    async openLive(shop, profile) {
      const { composition, witness } = stage;
      const newMerchant = async () => shop.at(witness);
      const psp = await pspOf(profile);
      return openLiveShop({ baseUrl: witness.baseUrl, composition, newMerchant }, { profile, psp });
    },
    async stop() {
      await Promise.all([stage.stop(), past.kill9()]);
      await Promise.all([...psps.values()].map(async (psp) => (await psp).close()));
    },
  };
}
