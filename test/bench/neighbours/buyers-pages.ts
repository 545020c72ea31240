import { getRequest } from '../raw-http.ts';
import { type Attacker, flood, type Mode, type Scene } from './attacker.ts';
import { clientOf } from './receivers.ts';

const CONNECTIONS = 32;
const PAGE = 100;

/** Where the buyers of the account's invoices pay. */
async function linksOf(scene: Scene, mode: Mode): Promise<string[]> {
  const links: string[] = [];
  for await (const { payment_url } of clientOf(scene, scene.setUpKeys[mode]).invoices.list({ limit: PAGE }))
    if (payment_url !== null) links.push(new URL(payment_url).pathname);
  if (links.length === 0) throw new Error('no invoice of the attacker has a link');
  return links;
}

/** Asks for one after the other, as buyers do: without a key. */
function floodPaths(port: number, paths: readonly string[]) {
  let turn = 0;
  return flood(port, CONNECTIONS, () => {
    turn += 1;
    return getRequest({ port, path: paths[turn % paths.length] ?? '', headers: {} });
  });
}

/** The pages of invoices with as many lines as there may be, and what their scripts ask for. */
export const buyersPages: Attacker = {
  name: 'buyers at pages',
  modes: ['live', 'sandbox'],
  start: async (scene, mode) => {
    const links = await linksOf(scene, mode);
    return floodPaths(
      scene.port,
      links.flatMap((link) => [link, `${link}/state`]),
    );
  },
};

/** The receipts of the same invoices, and their files. */
export const receipts: Attacker = {
  name: 'buyers at receipts',
  modes: ['sandbox'],
  start: async (scene, mode) => {
    const fatura = clientOf(scene, scene.setUpKeys[mode]);
    for await (const { id } of fatura.invoices.list({ limit: PAGE, status: 'open' })) {
      const { payment_intent } = await fatura.invoices.checkout(id, { payment_method_type: 'pix' });
      await fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid' });
    }
    const links = await linksOf(scene, mode);
    return floodPaths(
      scene.port,
      links.flatMap((link) => [`${link}/receipt`, `${link}/receipt.pdf`]),
    );
  },
};
