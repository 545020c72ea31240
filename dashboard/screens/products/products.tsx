import type { Product, ProductListParams } from '@fatura/sdk';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura, useReadList } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { ChoiceFilter, FilterBar, NothingFound } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ProductDialog } from './product-dialog.tsx';
import { shownProducts } from './shown.ts';
import { productTexts } from './texts.ts';

const route = getRouteApi('/frame/products');

/** Whether a product can be bought. */
export function ProductStatus({ active }: Pick<Product, 'active'>) {
  const { shown } = useTexts(productTexts);
  return <Status tone={active ? 'good' : 'off'}>{active ? shown.active : shown.inactive}</Status>;
}

function useColumns(): readonly Column<Product>[] {
  const texts = useTexts(productTexts);
  return [
    { id: 'name', name: texts.name, isHead: true, show: ({ name }) => name },
    { id: 'description', name: texts.description, show: ({ description }) => description },
    { id: 'code', name: texts.externalCode, show: ({ external_code: code }) => code },
    { id: 'created', name: texts.created, show: ({ created }) => <When at={created} as="date" /> },
    { id: 'status', name: texts.status, isCorner: true, show: (product) => <ProductStatus {...product} /> },
  ];
}

function NewProduct() {
  const texts = useTexts(productTexts);
  const fatura = useFatura();
  const navigate = useNavigate();
  const refused = useRoleRefusal()('products.create');
  const [isOpen, setOpen] = useState(false);
  if (refused !== null) return <span className="soft">{refused}</span>;
  return (
    <>
      <Button kind="primary" onPress={() => setOpen(true)}>
        {texts.newProduct}
      </Button>
      <ProductDialog
        title={texts.newProduct}
        action={texts.create}
        done={texts.createdProduct}
        act={(product, options) => fatura.products.create(product, options)}
        onDone={({ id }) => void navigate({ to: '/products/$id', params: { id } })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

/** What the merchant sells. */
export function Products() {
  const texts = useTexts(productTexts);
  const { status } = route.useSearch();
  const params: ProductListParams = status === undefined ? {} : { active: status === 'active' };
  const query = useReadList(['products', params], (fatura, cursor, options) =>
    fatura.products.list({ ...params, ...cursor }, options),
  );
  return (
    <Page title={texts.title} actions={<NewProduct />}>
      <FilterBar filters={{ status }}>
        <ChoiceFilter
          label={texts.status}
          name="status"
          value={status}
          options={shownProducts.map((one) => [one, texts.shown[one]] as const)}
        />
      </FilterBar>
      <List
        label={texts.title}
        query={query}
        columns={useColumns()}
        link={({ id }) => ({ to: '/products/$id', params: { id } })}
        empty={status === undefined ? <p>{texts.empty}</p> : <NothingFound filters={[texts.shown[status]]} />}
      />
    </Page>
  );
}
