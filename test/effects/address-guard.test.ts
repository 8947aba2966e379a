import { describe, expect, it } from 'vitest';
import { guardAddresses, isPublic, type Resolve } from '../../src/adapters/notifications/address-guard.ts';

const nobody: Resolve = async () => [];

function resolvingTo(...addresses: readonly string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

async function admit(url: string, allow: readonly string[] = [], resolve: Resolve = nobody): Promise<string> {
  const answer = await guardAddresses(allow, resolve).admit(new URL(url));
  if ('to' in answer) return answer.to.address;
  return answer.final ? 'never' : 'not now';
}

describe('the guard of addresses', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xA9FEA9FE/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.0.0.192/',
    'http://192.168.1.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[2001:db8::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://１２７.０.０.１/',
  ])('%s is refused for good', async (url) => {
    expect(await admit(url)).toBe('never');
  });

  it.each(['http://8.8.8.8/', 'https://[2606:4700::1111]/', 'http://172.32.0.1/', 'http://100.128.0.1/'])(
    '%s is open',
    async (url) => {
      expect(await admit(url)).toBe(new URL(url).hostname.replaceAll(/[[\]]/g, ''));
    },
  );

  it('judges what a name leads to, and refuses it for now: a hotel’s network may lie today', async () => {
    expect(await admit('http://example.test/', [], resolvingTo('93.184.215.14'))).toBe('93.184.215.14');
    expect(await admit('http://example.test/', [], resolvingTo('10.0.0.1'))).toBe('not now');
    expect(await admit('http://example.test/', [], resolvingTo('93.184.215.14', '127.0.0.1'))).toBe('not now');
    expect(await admit('http://example.test/', [], resolvingTo('fe80::1%eth0'))).toBe('not now');
    expect(await admit('http://example.test/', [], resolvingTo('nonsense'))).toBe('not now');
    expect(await admit('http://localhost./', [], resolvingTo('127.0.0.1'))).toBe('not now');
    expect(await admit('http://example.test/', [], nobody)).toBe('not now');
  });

  it.each([
    ['http://localhost:8080/', ['localhost'], '127.0.0.1'],
    ['http://LOCALHOST.:8080/', ['localhost'], '127.0.0.1'],
    ['http://localhost/', ['127.0.0.1'], '127.0.0.1'],
    ['http://127.0.0.1:8080/', ['127.0.0.1:8080'], '127.0.0.1'],
    ['http://127.0.0.1:8081/', ['127.0.0.1:8080'], 'never'],
    ['http://127.0.0.1/', ['127.0.0.1:80'], '127.0.0.1'],
    ['https://127.0.0.1/', ['127.0.0.1:443'], '127.0.0.1'],
    ['http://127.0.0.2/', ['127.0.0.1'], 'never'],
    ['http://127.9.9.9/', ['127.0.0.0/8'], '127.9.9.9'],
    ['http://10.9.9.9/', ['127.0.0.0/8', '10.0.0.0/8'], '10.9.9.9'],
    ['http://[::1]:8080/', ['[::1]:8080'], '::1'],
    ['http://[::1]/', ['::1'], '::1'],
    ['http://[fd00::7]/', ['fd00::/8'], 'fd00::7'],
    ['http://127.0.0.1/', ['localhost'], 'never'],
    ['http://notlocalhost/', ['localhost'], 'not now'],
    ['http://[::ffff:127.0.0.1]/', ['127.0.0.1'], 'never'],
  ] as const)('%s with %j is %s', async (url, allow, answer) => {
    expect(await admit(url, allow, resolvingTo('127.0.0.1'))).toBe(answer);
  });

  it.each(['', 'http://localhost', '10.0.0.0/33', 'a b', 'nonsense/8', '*'])(
    'does not take %j for something that is allowed',
    (entry) => {
      expect(() => guardAddresses([entry], nobody)).toThrow(/allow_hosts/);
    },
  );

  it('takes nothing else for an address', () => {
    for (const text of ['', 'localhost', '1', '8.8.8.8.8', 'fe80::1%eth0']) expect(isPublic(text)).toBe(false);
  });
});
