import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MODELS = join('node_modules', '@pagarme', 'pagarme-nodejs-sdk', 'src', 'models');

interface Field {
  /** The model of what stands in the field; null: a value, or a map of any names. */
  readonly model: string | null;
}

const read = new Map<string, ReadonlyMap<string, Field>>();

/** The fields of a model of the official SDK, by their names on the wire, as its source declares them. */
export function fieldsOf(model: string): ReadonlyMap<string, Field> {
  const known = read.get(model);
  if (known !== undefined) return known;
  const source = readFileSync(join(MODELS, `${model}.ts`), 'utf8');
  const declared = source.slice(source.indexOf('Schema: Schema<'));
  const fields = new Map<string, Field>();
  for (const [, name = '', form = ''] of declared.matchAll(/\[\s*'(\w+)',\s*([^\]]*)\]/g)) {
    const [, nested] = /\b(create\w+)Schema\b/.exec(form) ?? [];
    fields.set(name, { model: nested ?? null });
  }
  read.set(model, fields);
  return fields;
}

/** The fields of a body that a model of the SDK does not name, by their paths. */
export function unknownFields(model: string, body: unknown, path = ''): string[] {
  if (Array.isArray(body)) return body.flatMap((each) => unknownFields(model, each, path));
  if (typeof body !== 'object' || body === null) return [];
  const fields = fieldsOf(model);
  return Object.entries(body).flatMap(([name, value]) => {
    const place = path === '' ? name : `${path}.${name}`;
    const field = fields.get(name);
    if (field === undefined) return [place];
    return field.model === null ? [] : unknownFields(field.model, value, place);
  });
}
