/** As much of a JSON Schema as the contract's components use. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

type Components = Readonly<Record<string, unknown>>;

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** What an answer that a guide shows has and the contract does not; a guide may leave fields out. */
export function answerProblems(components: Components, name: string, value: unknown): string[] {
  const component = components[name];
  if (component === undefined) return [`${name} is no object of the contract`];
  return problems(components, component as Schema, value, name);
}

function problems(components: Components, schema: Schema, value: unknown, path: string): string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return problems(components, components[name] as Schema, value, path);
  }
  const forms = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (forms !== undefined) {
    const all = forms.map((form) => problems(components, form, value, path));
    return all.find((found) => found.length === 0) ?? all.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }
  if (schema.const !== undefined && schema.const !== value) return [`${path} is ${String(schema.const)}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${path} is none of its values`];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type) && !(type === 'integer' && types.includes('number'))) {
    return [`${path} is ${types.join(' or ')}, and not ${type}`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, nth) => problems(components, schema.items ?? {}, item, `${path}[${nth}]`));
  }
  if (type !== 'object') return [];
  return Object.entries(value as object).flatMap(([key, part]) => {
    const own = schema.properties?.[key];
    if (own !== undefined) return problems(components, own, part, `${path}.${key}`);
    return schema.properties === undefined || schema.additionalProperties ? [] : [`${path} has no ${key}`];
  });
}
