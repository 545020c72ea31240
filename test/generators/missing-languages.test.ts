import { afterEach, expect, test, vi } from 'vitest';
import { needsLanguage } from '../support/toolbox.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test.each([
  ['python', 'python3 of version 3.11 or newer, with venv and pip'],
  ['go', 'go of version 1.25 or newer'],
] as const)('without %s a test is skipped aloud, and fails on CI', async (language, needed) => {
  vi.stubEnv('PATH', import.meta.dirname);
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  const skip = vi.fn();
  const context = { task: { name: 'a client that sells' }, skip };
  const reason = `NOT TESTED: this machine has no ${needed}`;

  vi.stubEnv('CI', undefined);
  await needsLanguage(context, language);
  expect(skip.mock.calls).toEqual([[reason]]);
  expect(told.mock.calls).toEqual([[`\na client that sells: ${reason}\n`]]);

  vi.stubEnv('CI', 'true');
  await expect(needsLanguage(context, language)).rejects.toThrow(reason);
  expect(skip).toHaveBeenCalledTimes(1);
});
