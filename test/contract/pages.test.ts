import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { JSON_DEPTH_MAX, JSON_FIELDS_MAX, JSON_VALUES_MAX } from '../../contract/json.ts';
import { ACTING_LINK, routeLimits } from '../../contract/kernel.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { limitOf } from '../../server/admission/limits.ts';
import { BODY_BYTES_MAX } from '../../server/http/body.ts';
import { PAGE_BYTES_MAX } from '../../server/kernel/pages.ts';
import { tries } from '../../server/web/page-requests.ts';

interface Schema {
  readonly properties?: Record<string, { readonly examples?: readonly string[] }>;
  readonly required?: readonly string[];
}

// The document is plain JSON.
const document = JSON.parse(JSON.stringify(buildOpenApi())) as {
  paths: Record<string, Record<string, { responses: object }>>;
  components: { schemas: Record<string, Schema> };
};
const { schemas } = document.components;

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../docs/product/${name}.md`, import.meta.url), 'utf8');
const requests = pageOf('requests');
const chapterOf = (page: string, heading: string): string =>
  page.split(/^#+ /m).find((one) => one.startsWith(heading)) ?? '';

/** Components that answers are made of. */
function answered(value: unknown, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    answered(schemas[name], found);
  }
  return found;
}

test('the page of requests lists the fields that an answer can be without', () => {
  const answers = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ responses }) => responses),
  );
  const optional = [...answered(answers)].flatMap((name) => {
    const { properties = {}, required = [] } = schemas[name] ?? {};
    return Object.keys(properties).filter((field) => !required.includes(field));
  });
  const listed = [...chapterOf(requests, 'Null and absent').matchAll(/^\| `(\w+)` /gm)].map(([, field]) => field);
  expect(listed.toSorted()).toEqual([...new Set(optional)].toSorted());
});

test('it lists the public routes, those among them that the links of answers lead to', () => {
  const links = Object.values(schemas).flatMap(({ properties = {} }) =>
    Object.values(properties).flatMap((field) => (ACTING_LINK in field ? (field.examples ?? []) : [])),
  );
  expect(links.length).toBeGreaterThan(2);
  const listed = chapterOf(requests, 'Public routes');
  const first = (link: string): string => `\`/${new URL(link).pathname.split('/')[1]}/…\``;
  expect(links.map(first).filter((path) => !listed.includes(path))).toEqual([]);
});

describe('a limit on a page is the one of the code', () => {
  const number = (of: number): string => of.toLocaleString('en');
  const perMinute = (of: number | null): string => `${number(of ?? 0)} a minute`;
  const posts = (name: Parameters<typeof limitOf>[0]): string => perMinute(limitOf(name, { liveMode: false }));
  const webhooks = pageOf('webhooks');
  const receipts = pageOf('receipts');

  type Row = readonly [page: string, chapter: string, words: string | RegExp];
  const rows: Row[] = [
    [
      requests,
      'Bodies',
      `more than ${BODY_BYTES_MAX / 1_024} KiB, more than ${number(JSON_FIELDS_MAX)} fields, or more than ${number(JSON_VALUES_MAX)} fields`,
    ],
    [requests, 'Bodies', `more than ${JSON_DEPTH_MAX} levels`],
    [requests, 'Lists', `reaches ${PAGE_BYTES_MAX / 1_024 ** 2} MiB`],
    ...Object.entries(routeLimits).map(
      ([name, max]) => [requests, 'Rate limits', new RegExp(`\`${name}\`.*\\| ${max} \\|`)] as const,
    ),
    [webhooks, 'Posts of a sandbox', `| ${posts('posts_unproven')} | ${posts('posts_unproven_host')} |`],
    [webhooks, 'Posts of a sandbox', `| ${posts('posts_proven')} | ${posts('posts_proven_host')} |`],
    [receipts, 'Limits', `| pages of one link | ${perMinute(tries.receipt.max)} |`],
    [receipts, 'Limits', `| files of one link | ${perMinute(tries.receiptFile.max)} |`],
  ];

  test.each(rows)('%#', (page, heading, words) => {
    const chapter = chapterOf(page, heading);
    if (typeof words === 'string') expect(chapter).toContain(words);
    else expect(chapter).toMatch(words);
  });
});
