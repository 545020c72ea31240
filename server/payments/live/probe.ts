import type { LiveSettings, OfMethod, ProbeStep } from './method.ts';
import { liveMethod } from './methods.ts';
import { noticeUrl } from './notice-url.ts';

/** What is tried. */
export interface Probed {
  readonly settings: LiveSettings;
  readonly publicUrl: string;
  /** The secret of the path of callbacks. */
  readonly token: string;
}

/** Tries settings at the acquirer itself, step by step. An acquirer may repeat the address; whoever reads the steps needs no secret. */
export async function* probe(
  { accountId, method }: OfMethod,
  { settings, publicUrl, token }: Probed,
): AsyncGenerator<ProbeStep> {
  for await (const step of liveMethod(method).probe(accountId, settings, noticeUrl(publicUrl, token)))
    yield { ...step, detail: step.detail?.replaceAll(token, '…') ?? null };
}
