import type { CustomerCreate } from '@fatura/sdk';
import type { Random } from './random.ts';

const FIRST_NAMES = [
  'Ana',
  'Beatriz',
  'Bruno',
  'Camila',
  'Carlos',
  'Daniela',
  'Diego',
  'Eduardo',
  'Fernanda',
  'Gabriel',
  'Helena',
  'Igor',
  'Isabela',
  'João',
  'Juliana',
  'Larissa',
  'Lucas',
  'Luiza',
  'Marcelo',
  'Mariana',
  'Mateus',
  'Natália',
  'Otávio',
  'Patrícia',
  'Paulo',
  'Rafael',
  'Renata',
  'Rodrigo',
  'Sofia',
  'Tiago',
  'Valentina',
  'Vinícius',
] as const;
const SURNAMES = [
  'Albuquerque',
  'Almeida',
  'Araújo',
  'Barbosa',
  'Cardoso',
  'Carvalho',
  'Cavalcanti',
  'Costa',
  'Dias',
  'Fernandes',
  'Ferreira',
  'Gomes',
  'Gonçalves',
  'Lima',
  'Lopes',
  'Martins',
  'Melo',
  'Moreira',
  'Nogueira',
  'Oliveira',
  'Pereira',
  'Ribeiro',
  'Rocha',
  'Santana',
  'Santos',
  'Silva',
  'Souza',
  'Teixeira',
  'Vasconcelos',
  'Vieira',
] as const;
const TRADES = ['Padaria', 'Café', 'Floricultura', 'Escola', 'Clínica', 'Livraria', 'Pousada', 'Restaurante'] as const;
const TRADE_NAMES = [
  'Boa Vista',
  'do Bairro',
  'Ipê Amarelo',
  'Santa Rita',
  'da Praça',
  'Bem-te-vi',
  'Maré Alta',
] as const;

interface Place {
  readonly city: string;
  readonly state: string;
  readonly areaCode: string;
  readonly zip: string;
  readonly street: string;
  readonly district: string;
}

const PLACES: readonly [Place, ...Place[]] = [
  {
    city: 'São Paulo',
    state: 'SP',
    areaCode: '11',
    zip: '01310200',
    street: 'Avenida Paulista',
    district: 'Bela Vista',
  },
  {
    city: 'Rio de Janeiro',
    state: 'RJ',
    areaCode: '21',
    zip: '22041001',
    street: 'Rua Barata Ribeiro',
    district: 'Copacabana',
  },
  { city: 'Belo Horizonte', state: 'MG', areaCode: '31', zip: '30112000', street: 'Rua da Bahia', district: 'Savassi' },
  {
    city: 'Recife',
    state: 'PE',
    areaCode: '81',
    zip: '51020000',
    street: 'Rua dos Navegantes',
    district: 'Boa Viagem',
  },
  {
    city: 'Porto Alegre',
    state: 'RS',
    areaCode: '51',
    zip: '90050170',
    street: 'Rua da República',
    district: 'Cidade Baixa',
  },
  {
    city: 'Salvador',
    state: 'BA',
    areaCode: '71',
    zip: '40140110',
    street: 'Avenida Sete de Setembro',
    district: 'Barra',
  },
];

const digits = (random: Random, count: number): number[] => Array.from({ length: count }, () => random.between(0, 9));

/** The digit that a weighted sum comes to, by the rule of CPF and CNPJ. */
function checkDigit(of: readonly number[], weights: readonly number[]): number {
  const rest = of.reduce((sum, digit, place) => sum + digit * (weights[place] ?? 0), 0) % 11;
  return rest < 2 ? 0 : 11 - rest;
}

const downFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, place) => first - place);

export function drawCpf(random: Random): string {
  const nine = digits(random, 9);
  const first = checkDigit(nine, downFrom(10, 9));
  const ten = [...nine, first];
  // All digits alike is no CPF, though its sums are right.
  return new Set(ten).size === 1 ? drawCpf(random) : [...ten, checkDigit(ten, downFrom(11, 10))].join('');
}

const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

export function drawCnpj(random: Random): string {
  const twelve = [...digits(random, 8), 0, 0, 0, 1];
  const first = checkDigit(twelve, CNPJ_WEIGHTS.slice(1));
  const all = [...twelve, first];
  return [...all, checkDigit(all, CNPJ_WEIGHTS)].join('');
}

/** `joao.araujo7@example.com`: the number keeps two of one name apart. */
function emailOf(name: string, nth: number): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return `${plain.replace(/[^a-z]+/g, '.')}${nth}@example.com`;
}

const BUSINESS_SHARE = 0.12;
const ADDRESS_SHARE = 0.7;

/** The nth customer of a shop. */
export function drawCustomer(random: Random, nth: number): CustomerCreate {
  const isBusiness = random.chance(BUSINESS_SHARE);
  const name = isBusiness
    ? `${random.pick(TRADES)} ${random.pick(TRADE_NAMES)}`
    : `${random.pick(FIRST_NAMES)} ${random.pick(SURNAMES)}`;
  const identifier = isBusiness ? drawCnpj(random) : drawCpf(random);
  const { areaCode, zip, ...place } = random.pick(PLACES);
  const phone = `+55${areaCode}9${digits(random, 8).join('')}`;
  const address = { ...place, zip_code: zip, number: String(random.between(1, 2_400)) };
  return {
    name,
    identifier,
    email: emailOf(name, nth),
    phone,
    external_code: `cliente-${nth}`,
    ...(random.chance(ADDRESS_SHARE) && { address }),
  };
}
