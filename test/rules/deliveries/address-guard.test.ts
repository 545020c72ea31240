import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../../server/events/deliveries/http/guarded-connector.ts';

const guard = createAddressGuard([]);

/** The IANA registry of special-purpose IPv4 addresses, multicast and class E, and Azure's host services. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
] as const;

const special = new BlockList();
for (const [network, bits] of SPECIAL_IPV4) special.addSubnet(network, bits);

const ipv4 = fc.oneof(
  fc.ipV4(),
  // Addresses in and around the special networks, which chance alone would seldom meet.
  fc.tuple(fc.constantFrom(...SPECIAL_IPV4), fc.integer({ min: -3, max: 70_000 })).map(([[network], offset]) => {
    const number = (network.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + offset + 2 ** 32) % 2 ** 32;
    return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
  }),
);

function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

describe('an address that a delivery connects to', () => {
  test('is public exactly if IANA lists it in no special-purpose network', () => {
    fc.assert(
      fc.property(ipv4, fc.boolean(), (address, liveMode) => {
        expect(guard(address, liveMode) !== null).toBe(special.check(address));
      }),
      { numRuns: 5_000 },
    );
  });

  test('is judged by the IPv4 address that a mapped or translated form leads to', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        const isRefused = guard(address, true) !== null;
        for (const form of [`::ffff:${address}`, `::ffff:${hexOf(address)}`, `64:ff9b::${hexOf(address)}`]) {
          expect([form, guard(form, true) !== null]).toEqual([form, isRefused]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('is refused in every other form that hides an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const hex = hexOf(address);
        const forms = [
          `::${hex}`,
          `::ffff:0:${hex}`,
          `2002:${hex}::1`,
          `64:ff9b:1::${hex}`,
          `2001:0:${hex}::1`,
          `fe80::5efe:${hex}`,
        ];
        for (const form of forms) expect([form, guard(form, true) !== null]).toEqual([form, true]);
      }),
    );
  });

  test.each([
    '::',
    '::1',
    '100::1',
    '2001:2::1',
    '2001:20::1',
    '2001:db8::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    '8000::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ])('is refused at %s', (address) => {
    expect(guard(address, true)).toEqual(expect.any(String));
    expect(guard(address, false)).toEqual(expect.any(String));
  });

  test.each(['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450::1', '2800:3f0::1', '8.8.8.8'])(
    'is permitted at %s',
    (address) => {
      expect(guard(address, true)).toBeNull();
    },
  );

  test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '1.1.1.1 ', '[::1]', '1.1.1.1:80'])(
    'is refused if it is no plain address: %j',
    (text) => {
      expect(guard(text, true)).toBe('not an IP address');
    },
  );
});

describe('an allowed network', () => {
  const lenient = createAddressGuard(['127.0.0.0/8', '10.1.0.0/16', '::1/128']);

  test.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['10.1.200.1', true],
    ['10.2.0.1', false],
    ['::2', false],
    ['64:ff9b::7f00:1', false], // a translator's way there is not the network itself
  ])('opens %s to the sandbox: %s; to live never', (address, expected) => {
    expect(lenient(address, false) === null).toBe(expected);
    expect(lenient(address, true)).not.toBeNull();
  });

  test.each(['127.0.0.1', 'loopback', '10.0.0.0/33', '::/129', ''])('is a CIDR, which %j is not', (network) => {
    expect(() => createAddressGuard([network])).toThrow();
  });
});
