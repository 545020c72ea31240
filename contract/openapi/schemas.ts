import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Schema = { [key: string]: Json };

export const REF = '#/components/schemas/';

/** Every object in a JSON tree, leaves first, replaced by what `change` makes of it. */
function mapObjects(value: Json, change: (schema: Schema) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (value === null || typeof value !== 'object') return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapObjects(item, change)])));
}

export const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A nullable field keeps its meaning and example beside `anyOf`, where readers and generators look for them. */
function liftNullable(schema: Schema): Schema {
  const [first, second] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!isSchema(first) || !isSchema(second) || second.type !== 'null') return schema;
  const { description, examples, ...rest } = first;
  const lifted = {
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
  };
  return { ...lifted, ...schema, anyOf: [rest, second] };
}

function tidy(schema: Schema): Schema {
  const { $schema, $defs, ...rest } = schema;
  const ref = rest.$ref;
  if (typeof ref === 'string') rest.$ref = ref.replace('#/$defs/', REF);
  const extra = rest.additionalProperties;
  if (isSchema(extra) && Object.keys(extra).length === 0) rest.additionalProperties = true;
  return liftNullable(rest);
}

export type Components = Record<string, Schema>;

/** Named schemas hoisted out of the single schemas, and the transformer that fills them. */
export function componentCollector() {
  const components: Components = {};
  const add = (name: string, schema: Schema) => {
    const known = components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are named ${name}`);
    }
    components[name] = schema;
  };
  const convert = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
    const json = z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema, zodSchema }) => {
        // Zod takes the example of a text that is stored in another form for one of what is stored.
        const examples = io === 'input' ? z.globalRegistry.get(zodSchema)?.examples : undefined;
        if (Array.isArray(examples)) jsonSchema.examples = examples;
        // v1 changes by adding fields, so an answer promises no closed set of them.
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    });
    const definitions = json.$defs ?? {};
    // JSON Schema of zod is plain JSON.
    const asJson = (value: unknown) => mapObjects(value as Json, tidy) as Schema;
    for (const [name, definition] of Object.entries(definitions)) add(name, asJson(definition));
    return asJson(json);
  };
  return { components, convert };
}

export const componentOf = (components: Components, schema: Schema): Schema =>
  typeof schema.$ref === 'string' ? (components[schema.$ref.slice(REF.length)] ?? {}) : schema;

function exampleOf(schema: Schema, components: Components): Json {
  const examples = schema.examples;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] ?? null;
  if (typeof schema.$ref === 'string') return exampleOf(componentOf(components, schema), components);
  const [word] = Array.isArray(schema.enum) ? schema.enum : [];
  if (word !== undefined) return word;
  for (const key of ['oneOf', 'anyOf']) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : [];
    if (isSchema(first)) return exampleOf(first, components);
  }
  if (schema.type === 'array' && isSchema(schema.items)) return [exampleOf(schema.items, components)];
  if (isSchema(schema.properties)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const entries = Object.entries(schema.properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(
      entries.map(([name, value]) => [name, isSchema(value) ? exampleOf(value, components) : null]),
    );
  }
  if (schema.type === 'object') return {};
  throw new Error(`a field has no example: ${JSON.stringify(schema)}`);
}

/** Lists and objects get their example from their parts, so that no field is without one. */
export function completeExamples(components: Components): void {
  for (const component of Object.values(components)) {
    const properties = component.properties;
    if (!isSchema(properties)) continue;
    for (const property of Object.values(properties)) {
      if (isSchema(property) && !('examples' in property)) property.examples = [exampleOf(property, components)];
    }
  }
}

/** The constants of a form by field. */
function constantsOf(form: Schema, components: Components): Map<string, Json> {
  const { properties } = componentOf(components, form);
  const fields = isSchema(properties) ? Object.entries(properties) : [];
  return new Map(
    fields.flatMap(([name, field]) => (isSchema(field) && 'const' in field ? [[name, field.const ?? null]] : [])),
  );
}

/** Tells generators by which field the named forms of a union are told apart, where one field does it. */
export function addDiscriminators(components: Components): void {
  for (const component of Object.values(components)) {
    const forms = Array.isArray(component.oneOf) ? component.oneOf.filter(isSchema) : [];
    if (forms.length === 0) continue;
    const constants = forms.map((form) => constantsOf(form, components));
    const field = [...(constants[0]?.keys() ?? [])].find(
      (name) => new Set(constants.map((of) => of.get(name))).size === forms.length,
    );
    if (field === undefined) continue;
    const mapping = forms.map((form, index) => [String(constants[index]?.get(field)), form.$ref ?? null]);
    component.discriminator = { propertyName: field, mapping: Object.fromEntries(mapping) };
  }
}
