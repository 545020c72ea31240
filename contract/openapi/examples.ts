import type { EventType } from '../events.ts';
import { type Components, isSchema, type Json, type Schema } from './schemas.ts';
import recorded from './story.json' with { type: 'json' };

/** One request of the recorded story, and its answer. */
export interface RecordedExchange {
  /** The id in the path, where the operation has one, and that of a part of the object. */
  readonly id?: string;
  readonly part?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly status: number;
  readonly answer: Json;
}

interface Story {
  readonly operations: Readonly<Record<string, Readonly<Record<string, RecordedExchange>>>>;
  readonly events: Readonly<Record<EventType, Json>>;
}

/** Where the service was that answered when the story was recorded. */
const RECORDED_AT = 'http://127.0.0.1:3000';

/**
 * What the service answered when one shop lived through everything that the API offers: the same customer, invoice and sums
 * everywhere. `test/story` tells it, and holds that the service answers so today.
 */
export function storyAt(serverUrl: string): Story {
  const text = JSON.stringify(recorded);
  // The file is written by the test in this form.
  return JSON.parse(text.replaceAll(RECORDED_AT, serverUrl)) as Story;
}

/** The exchanges of an operation by the name of the example. */
export const exchangesOf = ({ operations }: Story, id: string): [string, RecordedExchange][] => {
  const exchanges = Object.entries(operations[id] ?? {});
  if (exchanges.length === 0) throw new Error(`the story has no ${id}: tell it in test/story/tale.ts`);
  return exchanges;
};

type Example = Record<string, { value: Json }>;

/** What was sent to an operation, by the name of the example. */
export const requestExamples = (story: Story, id: string): Example =>
  Object.fromEntries(
    exchangesOf(story, id).flatMap(([name, { body }]) => (body === undefined ? [] : [[name, { value: body }]])),
  );

/** What an operation answered with a status, by the name of the example. */
export const answerExamples = (story: Story, { id, status }: { id: string; status: number }): Example =>
  Object.fromEntries(
    exchangesOf(story, id).flatMap(([name, exchange]) =>
      exchange.status === status ? [[name, { value: exchange.answer }]] : [],
    ),
  );

/** Whether an answer has all that a component asks for; another view of the same object has other fields and constants. */
const isOf = (answer: Json, { properties, required }: Schema): answer is Schema =>
  isSchema(answer) &&
  isSchema(properties) &&
  Array.isArray(required) &&
  required.every((name) => String(name) in answer) &&
  Object.entries(properties).every(
    ([name, field]) => !isSchema(field) || !('const' in field) || field.const === answer[name],
  );

/** Gives each object that can be retrieved the example of its retrieval; its constants and fields say which component it is. */
export function addObjectExamples(components: Components, story: Story): void {
  const retrieved = Object.keys(story.operations).filter((id) => id.endsWith('.retrieve'));
  const objects = retrieved.flatMap((id) => exchangesOf(story, id).slice(0, 1)).map(([, { answer }]) => answer);
  for (const component of Object.values(components)) {
    const { object } = isSchema(component.properties) ? component.properties : {};
    const example =
      isSchema(object) && 'const' in object ? objects.find((answer) => isOf(answer, component)) : undefined;
    if (example !== undefined) component.examples = [example];
  }
}

export type { Story };
