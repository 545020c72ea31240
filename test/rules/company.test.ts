import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Company } from '../../server/db/company.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('whoever asks for something has company for two seconds behind the last question of another', () => {
  const company = new Company();
  expect(company.isShared).toBe(false);
  company.saw('loud');
  company.saw('loud');
  expect(company.isShared).toBe(false);
  company.saw('quiet');
  expect(company.isShared).toBe(true);
  vi.advanceTimersByTime(1_999);
  company.saw('loud');
  expect(company.isShared).toBe(true);
  vi.advanceTimersByTime(2);
  expect(company.isShared).toBe(false);
  company.saw('another');
  expect(company.isShared).toBe(true);
  vi.advanceTimersByTime(3_000);
  expect(company.isShared).toBe(false);
});
