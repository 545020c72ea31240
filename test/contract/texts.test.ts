import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exportTypes } from '../../contract/export-columns.ts';
import { references } from '../../contract/kernel.ts';
import { textForms } from '../../contract/texts.ts';
import { placesIn } from '../../server/http/schema-paths.ts';
import type { Violations } from '../../server/http/validation.ts';
import { type Schema, schemas } from '../support/hostile-values.ts';

/** A field of a request that takes a text. */
interface TextField {
  readonly name: string;
  readonly steps: readonly (string | number)[];
  readonly form: string;
  readonly schema: Schema;
}

const kindOf = (schema: z.ZodType): string | undefined => {
  const form = textForms.get(schema)?.form;
  if (form !== undefined) return form;
  if (references.get(schema) !== undefined) return 'id';
  return schema instanceof z.ZodString ? 'unformed' : undefined;
};

const textFields: TextField[] = schemas
  .filter(({ name }) => !name.startsWith('pathParams'))
  .flatMap(({ name, own, schema }) =>
    placesIn(own, kindOf).map(({ path, kind }) => {
      const steps = path.map((step) => (typeof step === 'string' ? step : 0));
      return { name: `${steps.join('.')} in the ${name}`, steps, form: kind, schema };
    }),
  );
/** E-mail addresses and URLs are free but for their form. */
const isAddress = ({ name }: TextField): boolean => /(_url|\burl|email) in the /.test(name);

const ofForms = (...forms: string[]): [string, TextField][] =>
  textFields.filter(({ form }) => forms.includes(form)).map((field) => [field.name, field]);

/** What tells the forms of a body, of a discount and of an export apart; everywhere else it is unknown. */
const FORMS = ['percentage', ...exportTypes].map((type) => ({ payment_method_type: 'card', type }));

/** Requests that have nothing else but this value. */
const requestsWith = (steps: readonly (string | number)[], value: unknown): unknown[] =>
  FORMS.map((form) =>
    steps.reduceRight<unknown>(
      (inner, step) => (typeof step === 'number' ? [inner] : { ...form, [step]: inner }),
      value,
    ),
  );

const paramOf = (steps: readonly (string | number)[]): string => steps.join('.').replaceAll(/\.(\d+)/g, '[$1]');

/** What is said of the field with a value. */
function saidOf({ schema, steps }: TextField, value: unknown, at: string = paramOf(steps)): string[] {
  const listed = requestsWith(steps, value).flatMap((request) => {
    const outcome = schema['~standard'].validate(request) as { issues?: readonly [Violations] };
    return outcome.issues?.flatMap((issue) => issue.listed) ?? [];
  });
  // A form without the field says nothing of its value.
  const said = listed.filter(({ param, code }) => param === at && code !== 'PARAMETER_UNKNOWN');
  return [...new Set(said.map(({ message }) => message))];
}

test('every text of a request is free, an id, or of a form of its own', () => {
  const unformed = new Set(ofForms('unformed').map(([name]) => name.replace(/ in the .*/, '').replace(/^.*\./, '')));
  expect([...unformed].sort()).toEqual([
    'card_token',
    'cursor',
    'ending_before',
    'related_object',
    'stage',
    'starting_after',
    'state',
  ]);
});

/** The same in the form that a field asks for. */
const textsOf = ({ name }: TextField, texts: readonly string[]): readonly string[] => {
  if (/address\.number in the /.test(name)) return texts.filter(({ length }) => length <= 20);
  if (/email in the /.test(name)) return ['4242424242424242@a.test', '4242-4242-4242-4242@a.test'];
  return /(_url|\burl) in the /.test(name)
    ? ['https://a.test/4242424242424242', 'https://a.test?c=4242-4242-4242-4242']
    : texts;
};

describe('no free text takes the number of a card:', () => {
  const numbers = [
    '4242 4242 4242 4242',
    'cartão 5555-5555-5555-4444, val. 12/30',
    'pedido 12 378282246310005',
    '4242  4242  4242  4242',
  ];
  const refusal = (param: string) =>
    new RegExp(`^${param.replaceAll(/[[\].]/g, '\\$&')} must not hold the number of a card(, got [^0-9]*)?$`);

  test.each(ofForms('free_text'))('%s', (_, field) => {
    for (const number of textsOf(field, numbers)) {
      const [said = ''] = saidOf(field, number);
      expect(said.replaceAll(/, got .*$/g, '')).toMatch(refusal(paramOf(field.steps)));
      expect(said).not.toMatch(/\d{4}/);
    }
    for (const harmless of ['4242 4242 4242 4241', 'Pedido 1042', '+55 11 98765-4321', '2026-11-25 18:04:00 123456']) {
      expect(saidOf(field, harmless).join()).not.toContain('card');
    }
  });

  test.each(ofForms('free_object'))('%s', (_, field) => {
    const param = paramOf(field.steps);
    expect(saidOf(field, [{ a: ['4242 4242 4242 4242'] }], `${param}[0].a[0]`)).toHaveLength(1);
    expect(saidOf(field, [{ a: { b: 4242424242424242 } }], `${param}[0].a.b`)).toHaveLength(1);
    expect(saidOf(field, [{ 'of 4242424242424242': 1 }], `${param}[0]`)).toEqual([
      `${param}[0] must not hold the number of a card, got an object`,
    ]);
    expect(
      saidOf(field, [{ a: 4242424242424241, b: '1764093840000000', 424242424242: '4242' }], `${param}[0]`),
    ).toEqual([]);
  });
});

const messages = (field: TextField, value: string): string => saidOf(field, value).join('; ');

describe('a text that shows nothing is empty, and none in one line turns the text around it:', () => {
  const paragraphs = /((^|\.)(?<!^payment_link\.)description|^note\.text) in the /;

  test.each(ofForms('free_text'))('%s', (name, field) => {
    const isOptional = messages(field, '') === '';
    for (const nothing of ['\u200b', '\u2800\u3164', ' \u{e0001} ', '\u00ad\ufeff'])
      if (!isOptional) expect(messages(field, nothing), JSON.stringify(nothing)).not.toBe('');
    for (const turning of ['Ana \u202e.eul', '\u2066a', 'a\u200f']) {
      const said = messages(field, turning);
      if (!paragraphs.test(name)) expect(said).toContain('direction');
      else expect(said).toBe('');
    }
    if (!isAddress)
      for (const seen of ['Ana', '❤️ Ana', 'Zé\u200dca', '   Açaí 1']) expect(messages(field, seen)).toBe('');
  });

  test('an address of a card alone may have empty parts', () => {
    const optional = ofForms('free_text').filter(([, field]) => messages(field, '') === '');
    expect([...new Set(optional.map(([name]) => name.replace(/ in the .*/, '').replace(/^.*\./, '')))].sort()).toEqual([
      'city',
      'complement',
      'neighborhood',
      'number',
      'street',
    ]);
  });
});
