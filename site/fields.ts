import { Html, html } from '../server/kernel/html.ts';
import type { ApiDocument, Parameter, Schema } from './document.ts';
import type { Markdown } from './markdown.ts';
import type { Words } from './words.ts';

export interface Showing {
  readonly document: ApiDocument;
  readonly markdown: Markdown;
  readonly words: Words;
  /** Where an object of the API is explained; null: it is shown where it stands. */
  readonly placeOf: (component: string) => string | null;
  /** A text of the contract in the language of the page. */
  readonly translate: (text: string) => string;
}

/** Objects in objects that are shown in place; the contract's are far from it. */
const DEPTH_MAX = 5;

interface Shape {
  readonly label: Html;
  readonly values: readonly string[];
  /** The object, or the forms, that are shown inside. */
  readonly inside: readonly Schema[];
}

const joined = (parts: readonly Html[], sign: string): Html => new Html(parts.map(({ text }) => text).join(sign));

/** A type as readers name it; of a value that may be null the schema lists two. */
function typeOf({ type }: Schema, { words }: Showing): string {
  if (type === undefined || typeof type === 'string') return type ?? 'object';
  const named = type.filter((one) => one !== 'null').join(' | ');
  return type.includes('null') ? `${named} ${words.orNull}` : named;
}

const shapeOfForms = (forms: readonly Schema[], showing: Showing): Shape => {
  const isNullable = forms.some(({ type }) => type === 'null');
  const shapes = forms.filter(({ type }) => type !== 'null').map((form) => shapeOf(form, showing));
  const label = joined(
    shapes.map((shape) => shape.label),
    ' | ',
  );
  return {
    label: isNullable ? html`${label} ${showing.words.orNull}` : label,
    values: shapes.flatMap(({ values }) => values),
    inside: shapes.flatMap(({ inside }) => inside),
  };
};

function shapeOf(schema: Schema, showing: Showing): Shape {
  const { document, placeOf, words } = showing;
  const name = document.nameOf(schema);
  const place = name === null ? null : placeOf(name);
  if (place !== null) return { label: html`<a href="${place}">${name}</a>`, values: [], inside: [] };
  const found = document.resolve(schema);
  const forms = found.oneOf ?? found.anyOf;
  if (forms) return shapeOfForms(forms, showing);
  if (found.const !== undefined)
    return { label: html`${words.always} <code>${String(found.const)}</code>`, values: [], inside: [] };
  if (found.enum) return { label: html`string`, values: found.enum, inside: [] };
  if (found.items) {
    const item = shapeOf(found.items, showing);
    return { ...item, label: html`${words.listOf} ${item.label}` };
  }
  const inside = found.properties === undefined ? [] : [found];
  return { label: html`${typeOf(found, showing)}`, values: [], inside };
}

const VALUES_SHOWN_MAX = 12;

function valuesOf(values: readonly string[], { words }: Showing): Html | null {
  if (values.length === 0) return null;
  const shown = joined(
    values.map((value) => html`<code>${value}</code>`),
    ' ',
  );
  if (values.length <= VALUES_SHOWN_MAX) return html`<p class="values">${words.values}: ${shown}</p>`;
  return html`<details class="values"><summary>${words.values} (${values.length})</summary><p>${shown}</p></details>`;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

function fieldOf({ name, schema, isRequired, description }: Field, showing: Showing, depth: number): Html {
  const { words, markdown, translate } = showing;
  const { label, values, inside } = shapeOf(schema, showing);
  const nested = depth < DEPTH_MAX ? inside.map((object) => fieldsOf(object, showing, depth + 1)) : [];
  return html`<li><p class="field"><code>${name}</code> <span class="shape">${label}</span>${
    isRequired ? html` <span class="required">${words.required}</span>` : null
  }</p>${description === undefined ? null : html`<p>${markdown.line(translate(description))}</p>`}${valuesOf(values, showing)}${
    nested.length === 0
      ? null
      : html`<details${new Html(depth === 0 && nested.length === 1 ? ' open' : '')}><summary>${words.fields}</summary>${nested}</details>`
  }</li>`;
}

/** One form of a union, under what is said of it. */
const formOf = (form: Schema, showing: Showing, depth: number): Html => {
  const { markdown, translate, document, words } = showing;
  return html`<p class="variant">${words.oneOf}: ${markdown.line(translate(document.resolve(form).description ?? ''))}</p>${fieldsOf(form, showing, depth)}`;
};

/** The fields of an object: of an answer all are there, so none is called required. */
export function fieldsOf(schema: Schema, showing: Showing, depth = 0): Html {
  const found = showing.document.resolve(schema);
  const forms = found.oneOf ?? [];
  if (forms.length > 0) return html`${forms.map((form) => formOf(form, showing, depth))}`;
  const required = new Set(found.required ?? []);
  const isAnswer = required.has('object');
  const fields = Object.entries(found.properties ?? {}).map(([name, field]) =>
    fieldOf(
      {
        name,
        schema: field,
        isRequired: !isAnswer && required.has(name),
        description: showing.document.resolve(field).description,
      },
      showing,
      depth,
    ),
  );
  return html`<ul class="fields">${fields}</ul>`;
}

/** Parameters of a path, a query or the headers. */
export const parametersOf = (parameters: readonly Parameter[], showing: Showing): Html =>
  html`<ul class="fields">${parameters.map(({ name, schema, required = false, description }) =>
    fieldOf({ name, schema, isRequired: required, description }, showing, 1),
  )}</ul>`;
