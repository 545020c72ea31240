import { errorCatalog } from '../contract/errors.ts';
import { type ApiDocument, codesOf } from './document.ts';
import { type GuideGroup, withLinks } from './guides.ts';
import { requestsOf, sampleOf } from './samples.ts';

interface Texts {
  readonly document: ApiDocument;
  readonly guides: readonly GuideGroup[];
  readonly linkOf: (target: string) => string;
}

const firstParagraph = (text: string): string => (text.split('\n\n')[0] ?? '').replaceAll('\n', ' ');

/** What a language model reads first (https://llmstxt.org): what is here, a line each. */
export function llmsIndex({ document, guides }: Texts): string {
  const { serverUrl, groups, introduction } = document;
  const guideLines = guides.map(
    ({ title, guides: ofGroup }) =>
      `## ${title}\n\n${ofGroup.map((guide) => `- [${guide.title}](${serverUrl}/docs/en/guides/${guide.slug}.md): ${guide.description}`).join('\n')}`,
  );
  const groupLines = groups.map(
    (group) => `- [${group['x-displayName']}](${serverUrl}/docs/en/api/${group.name}): ${group.description}`,
  );
  return `# Fatura

> ${firstParagraph(introduction)}

Everything in one text: [llms-full.txt](${serverUrl}/llms-full.txt). The machine-readable API: [openapi.json](${serverUrl}/openapi.json).

${guideLines.join('\n\n')}

## API reference

${groupLines.join('\n')}
- [Error codes](${serverUrl}/docs/en/errors)
- [Event types](${serverUrl}/docs/en/events)
`;
}

/** The guides, the operations with a sample of each, and the codes, in one text. */
export function llmsWhole({ document, guides, linkOf }: Texts): string {
  const operations = document.operations.map((operation) => {
    const [[, request] = []] = requestsOf(operation, document);
    const sample = request === undefined ? '' : `\n\n\`\`\`ts\n${sampleOf('typescript', request)}\n\`\`\``;
    const { operationId, method, path, summary, description = '' } = operation;
    return `### ${operationId}: ${summary}\n\n\`${method} ${path}\` ${description}\n\nErrors: ${codesOf(operation).join(', ')}${sample}`;
  });
  const codes = Object.entries(errorCatalog).map(
    ([code, { status, retry, doc }]) => `- \`${code}\` (${status}, retry: ${retry}): ${doc}`,
  );
  return [
    `# Fatura\n\n${document.introduction}`,
    ...guides.flatMap(({ guides: ofGroup }) => ofGroup.map(({ source }) => withLinks(source, linkOf))),
    `# Operations\n\n${operations.join('\n\n')}`,
    `# Error codes\n\n${codes.join('\n')}\n`,
  ].join('\n\n');
}
