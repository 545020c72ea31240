import { type Html, html } from '../server/kernel/html.ts';
import { codesOf, type Operation, type Parameter, successOf } from './document.ts';
import { fieldsOf, parametersOf, type Showing } from './fields.ts';
import { codeBlock, TITLES } from './markdown.ts';
import { requestsOf, type SampleRequest, sampleLanguages, sampleOf } from './samples.ts';

export interface Section extends Showing {
  readonly codePath: (code: string) => string;
}

function samples(operation: Operation, { document, words }: Section): Html[] {
  const { story, serverUrl } = document;
  const requests = requestsOf(operation, { story, serverUrl });
  return requests.map(
    ([name, request]) =>
      html`<div class="sample">${requests.length > 1 ? html`<p class="variant">${name === 'default' ? words.example : name}</p>` : null}${sampleLanguages.map(
        (language) =>
          html`<div data-language="${language}">${codeBlock(sampleOf(language, request), { language, title: TITLES[language] ?? '', copy: words.copy })}</div>`,
      )}</div>`,
  );
}

function answerExamples(operation: Operation, { words }: Section): Html[] {
  const { content, status } = successOf(operation);
  return Object.values(content?.['application/json']?.examples ?? {}).map(
    ({ value }) =>
      html`<div class="answer">${codeBlock(JSON.stringify(value, null, 2), { language: 'json', title: `${words.answer} ${status}`, copy: words.copy })}</div>`,
  );
}

const parametersIn = (operation: Operation, place: Parameter['in']): readonly Parameter[] =>
  operation.parameters.filter((parameter) => parameter.in === place);

function described(title: string, content: Html | null): Html | null {
  return content === null ? null : html`<h3>${title}</h3>${content}`;
}

const shownIn = (operation: Operation, place: Parameter['in'], section: Section): Html | null => {
  const parameters = parametersIn(operation, place);
  return parameters.length === 0 ? null : parametersOf(parameters, section);
};

function bodyOf({ requestBody }: Operation, section: Section): Html | null {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined || section.document.nameOf(schema) === 'NoParameters') return null;
  return fieldsOf(schema, section);
}

function answered(operation: Operation, section: Section): Html {
  const schema = successOf(operation).content?.['application/json']?.schema ?? {};
  const name = section.document.nameOf(schema) ?? '';
  const place = section.placeOf(name);
  if (place !== null) return html`<p><a href="${place}">${name}</a></p>`;
  return html`<details><summary>${name}</summary>${fieldsOf(schema, section)}</details>`;
}

const refusals = (operation: Operation, { codePath, words }: Section): Html =>
  html`<details class="codes"><summary>${words.refusals} (${codesOf(operation).length})</summary><p>${codesOf(
    operation,
  ).map((code) => html`<a href="${codePath(code)}"><code>${code}</code></a>`)}</p></details>`;

/** The form with which a reader sends the first example, changed as they like, to this very service. */
function tryForm(operation: Operation, { exchange }: SampleRequest, { words }: Section): Html {
  const { id, query, body } = exchange;
  const at = operation.operationId;
  const text = (name: string, label: string, value: string) =>
    html`<label for="${at}-${name}">${label}</label><input id="${at}-${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false">`;
  return html`<details class="try" hidden><summary>${words.tryIt}</summary><form data-method="${operation.method}" data-path="${operation.path}"><p>${words.tryHint}</p>
<label for="${at}-key">${words.apiKey}</label><input id="${at}-key" name="key" type="password" autocomplete="off" spellcheck="false" required pattern="sk_sandbox_\\w+" title="${words.sandboxKeysOnly}">
${id === undefined ? null : text('id', 'id', id)}${
  operation.method === 'GET' && parametersIn(operation, 'query').length > 0
    ? text('query', words.queryParameters, new URLSearchParams(query).toString())
    : null
}${
  body === undefined
    ? null
    : html`<label for="${at}-body">${words.body}</label><textarea id="${at}-body" name="body" rows="8" spellcheck="false">${JSON.stringify(body, null, 2)}</textarea>`
}
<button>${words.send}</button><output aria-live="polite"></output></form></details>`;
}

/** One operation: what it does and takes on the left, code and answers on the right. */
export function operationSection(operation: Operation, section: Section): Html {
  const { words, markdown, translate } = section;
  const { operationId, method, path, summary, description } = operation;
  const [[, first] = []] = requestsOf(operation, section.document);
  const notes = [
    operation['x-scope'] === 'read' ? words.readScope : words.writeScope,
    ...(operation['x-sandbox-only'] === true ? [words.sandboxOnly] : []),
  ];
  return html`<section class="operation" id="${operationId}"><div class="told"><h2>${translate(summary)} <a class="anchor" href="#${operationId}" aria-label="${operationId}">#</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p><p class="notes">${notes.join(' · ')}</p>
${description === undefined ? null : markdown.text(translate(description))}
${described(words.pathParameters, shownIn(operation, 'path', section))}${described(words.queryParameters, shownIn(operation, 'query', section))}${described(words.headers, shownIn(operation, 'header', section))}${described(words.body, bodyOf(operation, section))}
${described(words.answer, answered(operation, section))}${refusals(operation, section)}${first === undefined ? null : tryForm(operation, first, section)}</div>
<div class="shown">${samples(operation, section)}${answerExamples(operation, section)}</div></section>`;
}
