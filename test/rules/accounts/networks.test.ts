import { describe, expect, test } from 'vitest';
import { createNetworkTest, readNetwork } from '../../../server/accounts/networks.ts';

describe('a network', () => {
  test.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    [' 203.0.113.7 ', '203.0.113.7/32'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:DB8:0:0::1', '2001:db8::1/128'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('%j is stored as %s', (text, network) => {
    expect(readNetwork(text)).toEqual({ network });
  });

  test.each([
    ['203.0.113.7/24', 'has bits beyond its mask: the network is 203.0.113.0/24'],
    ['2001:db8::1/64', 'has bits beyond its mask: the network is 2001:db8::/64'],
    ['203.0.113.0/33', 'is no network'],
    ['2001:db8::/129', 'is no network'],
    ['10.1/8', 'is no network'],
    ['0x0a.0.0.1', 'is no network'],
    ['010.0.0.1', 'is no network'],
    ['fe80::1%eth0', 'is no network'],
    ['loja.example', 'is no network'],
    ['203.0.113.0/24,10.0.0.0/8', 'is no network'],
    ['', 'is no network'],
  ])('%j is refused', (text, problem) => {
    expect(readNetwork(text)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe('an address', () => {
  const office = ['203.0.113.0/24', '2001:db8::/32'];
  test.each<[string | undefined, readonly string[], boolean]>([
    ['203.0.113.200', office, true],
    ['::ffff:203.0.113.200', office, true],
    ['::ffff:cb00:71c8', office, true],
    ['203.0.114.1', office, false],
    ['::ffff:203.0.114.1', office, false],
    ['2001:db8:ffff::1', office, true],
    ['2001:db9::1', office, false],
    // The first 24 bits of both are the same; the addresses are not.
    ['cb00:7100::1', office, false],
    ['198.51.100.1', [], true],
    [undefined, [], true],
    [undefined, office, false],
    ['unknown', office, false],
    ['', office, false],
  ])('%s, where %j may be, is let in: %s', (address, networks, isAllowed) => {
    expect(createNetworkTest(networks)(address)).toBe(isAllowed);
  });
});
