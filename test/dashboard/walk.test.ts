import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type Role, roleNames } from '../../contract/roles.ts';
import { railGroups } from '../../dashboard/frame/rail-items.ts';
import { openShop, type Shop } from '../support/audit/shop.ts';
import { newPerson, PUBLIC_URL } from '../support/people.ts';
import { DESK, inspect, PHONE } from '../web/scene.ts';
import { addressOf, screenPaths } from './paths.ts';
import { dashboardScene } from './scene.ts';

const WALK_MS = 240_000;
/** More than any screen has, so that a focus which is caught somewhere ends. */
const STOPS_MAX = 90;

const FITS = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
const FITS_MS = 10_000;

const scene = dashboardScene();
let shop: Shop;

beforeAll(async () => {
  shop = await openShop(scene.api());
}, 120_000);

/** A person of the role on every screen, one after the other, and what the browser asked for meanwhile. */
async function walk(role: Role, look: (visit: Awaited<ReturnType<typeof scene.open>>, path: string) => Promise<void>) {
  const person = await newPerson(scene.api(), { accountId: shop.accountId, role });
  const visit = await scene.open('/you?mode=sandbox', person);
  const { page, complaints } = visit;
  const faults: string[] = [];
  let path = '';
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== PUBLIC_URL && protocol !== 'data:') faults.push(`${path} asks for ${request.url()}`);
  });
  page.on('response', (response) => {
    // Of a payment of which nothing was returned there is no refund, of an endpoint that missed nothing no recovery.
    const isNone = response.status() === 404 && /\/refunds\/pi_|\/recover$/.test(response.url());
    if (response.status() >= 400 && !isNone) faults.push(`${path}: ${response.url()} is answered ${response.status()}`);
  });
  for (path of screenPaths) {
    complaints.length = 0;
    await page.goto(`${PUBLIC_URL}/dashboard${await addressOf(shop, path)}?mode=sandbox`);
    await untilThere(page);
    if ((await page.getByRole('heading', { level: 1 }).count()) !== 1) faults.push(`${path} has not one title`);
    if ((await page.locator('.trouble').count()) > 0) faults.push(`${path} shows trouble`);
    faults.push(...complaints.map((complaint) => `${path}: ${complaint}`));
    await look(visit, path);
  }
  expect(faults).toEqual([]);
}

async function untilThere(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('h1').first().waitFor();
  await expect.poll(() => page.locator('.pending').count()).toBe(0);
}

test.each(roleNames.filter((role) => role !== 'owner'))(
  'somebody of the role %s opens every screen, which asks for nothing that the role may not see',
  (role) => walk(role, async () => {}),
  WALK_MS,
);

test(
  'every screen is readable for everybody, in light and dark, on a phone and a desk',
  async () => {
    const wider: string[] = [];
    await walk('owner', async (visit, path) => {
      const { page } = visit;
      for (const [size, what] of [[PHONE, 'phone'] as const, [DESK, 'desk'] as const]) {
        await page.setViewportSize(size);
        // A table becomes cards a moment later.
        const fits = expect.poll(() => page.evaluate(FITS), { timeout: FITS_MS }).toBe(true);
        await fits.catch(() => wider.push(`${path} on a ${what}`));
      }
      await page.setViewportSize(PHONE);
      await inspect(visit, `walk${path.replaceAll('/', '-')}`);
      await page.emulateMedia({ colorScheme: 'light' });
    });
    expect(wider).toEqual([]);
  },
  WALK_MS,
);

test('the rail leads to screens that are there', () => {
  const items = railGroups.flat().flatMap((item) => [item, ...(item.under ?? [])]);
  expect(items.map(({ to }) => to).filter((to) => !screenPaths.includes(to))).toEqual([]);
});

/** Runs in the page: what has the focus, whether one sees that, and whether the walk was there before. */
const STOP = `(() => {
  const stop = document.activeElement;
  if (stop === null || stop === document.body) return null;
  const { outlineStyle, boxShadow } = getComputedStyle(stop);
  const after = getComputedStyle(stop, '::after').outlineStyle;
  const inner = [...stop.parentElement.children].some((one) => getComputedStyle(one).outlineStyle !== 'none');
  // A field for a date has stops within itself, and the browser shows them.
  const isWithin = stop === window.lastStop;
  const wasSeen = stop.dataset.walked === 'yes' && !isWithin;
  window.lastStop = stop;
  stop.dataset.walked = 'yes';
  return { wasSeen, isVisible: outlineStyle !== 'none' || boxShadow !== 'none' || after !== 'none' || inner || isWithin, html: stop.outerHTML.slice(0, 200) };
})()`;

/** Runs in the page: what the key Tab should reach and did not; of a group that has one stop the others are reached by its arrows. */
const MISSED = `[...document.querySelectorAll('main a[href], main button, main input, main select, main textarea, main summary')]
  .filter((one) => !one.disabled && one.tabIndex >= 0 && one.type !== 'radio' && one.checkVisibility({ visibilityProperty: true })
    && one.getBoundingClientRect().width > 1 && one.dataset.walked !== 'yes').map((one) => one.outerHTML.slice(0, 200))`;

test(
  'the key Tab reaches whatever can be used on every screen, and one sees where it is',
  async () => {
    const faults: string[] = [];
    await walk('owner', async ({ page }, path) => {
      for (let stops = 0; stops < STOPS_MAX; stops += 1) {
        await page.keyboard.press('Tab');
        const stop = (await page.evaluate(STOP)) as { wasSeen: boolean; isVisible: boolean; html: string } | null;
        if (stop === null || stop.wasSeen) break;
        if (!stop.isVisible) faults.push(`${path} does not show the focus at ${stop.html}`);
        if (stops === STOPS_MAX - 1) return;
      }
      for (const html of (await page.evaluate(MISSED)) as string[]) faults.push(`${path} leaves out ${html}`);
    });
    expect(faults).toEqual([]);
  },
  WALK_MS,
);
