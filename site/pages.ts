import { errorCatalog } from '../contract/errors.ts';
import { webhookDescription } from '../contract/openapi/texts.ts';
import { type Html, html } from '../server/kernel/html.ts';
import { codesOf, type Group, successOf } from './document.ts';
import { fieldsOf } from './fields.ts';
import type { Page } from './layout.ts';
import { codeBlock } from './markdown.ts';
import { operationSection, type Section } from './operation.ts';

export interface Writing extends Section {
  /** The path of the site in this language. */
  readonly root: string;
}

/** Named components that the answers of a group are, lists by what they hold. */
export function objectsOf(group: string, { document }: Pick<Writing, 'document'>): string[] {
  const names = document.operationsOf(group).flatMap((operation) => {
    const schema = successOf(operation).content?.['application/json']?.schema ?? {};
    const { properties = {} } = document.resolve(schema);
    const items = properties.has_more === undefined ? undefined : properties.data?.items;
    return document.nameOf(items ?? schema) ?? [];
  });
  return [...new Set(names)];
}

const objectSection = (name: string, writing: Writing): Html => {
  const { document, words, markdown, translate } = writing;
  const schema = document.resolve({ $ref: `#/components/schemas/${name}` });
  const [example] = schema.examples ?? [];
  return html`<section class="operation" id="${name}"><div class="told"><h2>${words.object} <code>${name}</code></h2>
<p>${markdown.line(translate(schema.description ?? ''))}</p>${fieldsOf(schema, writing)}</div>
<div class="shown">${example === undefined ? null : codeBlock(JSON.stringify(example, null, 2), { language: 'json', title: name, copy: words.copy })}</div></section>`;
};

const operationsList = (group: Group, { document, translate }: Writing): Html =>
  html`<ul class="operations">${document
    .operationsOf(group.name)
    .map(
      ({ operationId, method, path, summary }) =>
        html`<li><a href="#${operationId}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> ${translate(summary)}</a></li>`,
    )}</ul>`;

export function groupPage(group: Group, writing: Writing): Page {
  const { document, markdown, translate } = writing;
  const title = translate(group['x-displayName']);
  const description = translate(group.description);
  // An object of another group is explained there.
  const own = objectsOf(group.name, writing).filter((name) =>
    writing.placeOf(name)?.startsWith(placeOfGroup(group.name, writing)),
  );
  return {
    path: `/api/${group.name}`,
    title,
    description,
    isWide: true,
    body: html`<h1>${title}</h1><div class="lead">${markdown.text(description)}${operationsList(group, writing)}</div>${own.map(
      (name) => objectSection(name, writing),
    )}${document.operationsOf(group.name).map((operation) => operationSection(operation, writing))}`,
  };
}

export const placeOfGroup = (group: string, { root }: Pick<Writing, 'root'>): string => `${root}/api/${group}`;

export function introductionPage({ document, markdown, words, translate }: Writing): Page {
  return {
    path: '/api',
    title: words.introduction,
    description: translate(document.introduction).split('\n\n')[0]?.replaceAll('\n', ' ') ?? '',
    body: html`<h1>${words.reference}</h1>${markdown.text(translate(document.introduction))}`,
  };
}

/** Every code: what it means, whether to send again, and which operations answer it. */
export function errorsPage(writing: Writing): Page {
  const { document, words, markdown, translate, root } = writing;
  const sections = Object.entries(errorCatalog).map(([code, { status, type, retry, doc }]) => {
    const answering = document.operations.filter((operation) => codesOf(operation).includes(code));
    const links = answering.map(
      ({ operationId, tags: [group] }) =>
        html`<a href="${root}/api/${group}#${operationId}"><code>${operationId}</code></a>`,
    );
    return html`<section id="${code}"><h2><code>${code}</code> <a class="anchor" href="#${code}" aria-label="${code}">#</a></h2><p>${markdown.line(translate(doc))}</p>
<dl><dt>${words.status}</dt><dd>${status}</dd><dt>${words.type}</dt><dd><code>${type}</code></dd><dt>${words.retry}</dt><dd>${words.retries[retry]}</dd></dl>
${links.length === 0 ? null : html`<details class="codes"><summary>${words.refusedWith} (${links.length})</summary><p>${links}</p></details>`}</section>`;
  });
  return {
    path: '/errors',
    title: words.errors,
    description: words.errors,
    body: html`<h1>${words.errors}</h1>${sections}`,
  };
}

/** Every event type with an example of its delivery. */
export function eventsPage({ document, words, markdown, translate }: Writing): Page {
  const sections = document.events.map(
    ([type, example]) =>
      html`<section id="${type}"><h2><code>${type}</code> <a class="anchor" href="#${type}" aria-label="${type}">#</a></h2><details><summary>${words.example}</summary>${
        // Without colors: to mark the words of all these would hold up the process for a third of a second.
        codeBlock(JSON.stringify(example, null, 2), { language: 'plain', title: 'JSON', copy: words.copy })
      }</details></section>`,
  );
  return {
    path: '/events',
    title: words.events,
    description: words.events,
    body: html`<h1>${words.events}</h1>${markdown.text(translate(webhookDescription))}${sections}`,
  };
}
