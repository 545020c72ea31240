"""A sale by PIX with the client that openapi-python-client makes: sale.py <base URL> <sandbox key>."""

import json
import sys
from typing import TypeVar

from fatura_client import AuthenticatedClient
from fatura_client.api.customers import customers_create
from fatura_client.api.invoices import invoices_checkout, invoices_create, invoices_retrieve
from fatura_client.api.prices import prices_create
from fatura_client.api.products import products_create
from fatura_client.api.test_helpers import test_helpers_payment_intents_pay_pix
from fatura_client.models.checkout_by_pix import CheckoutByPix
from fatura_client.models.customer_create import CustomerCreate
from fatura_client.models.customer_create_body import CustomerCreateBody
from fatura_client.models.error import Error
from fatura_client.models.error_code import ErrorCode
from fatura_client.models.invoice_create import InvoiceCreate
from fatura_client.models.invoice_create_body import InvoiceCreateBody
from fatura_client.models.invoice_status import InvoiceStatus
from fatura_client.models.line_item_input import LineItemInput
from fatura_client.models.pay_pix_body import PayPixBody
from fatura_client.models.payment_method_by_pix import PaymentMethodByPix
from fatura_client.models.pix_scenario import PixScenario
from fatura_client.models.price_create import PriceCreate
from fatura_client.models.price_create_body import PriceCreateBody
from fatura_client.models.price_type import PriceType
from fatura_client.models.product_create import ProductCreate
from fatura_client.models.product_create_body import ProductCreateBody

T = TypeVar("T")


def answered(answer: T | Error | None) -> T:
    if answer is None or isinstance(answer, Error):
        raise SystemExit(f"refused: {answer}")
    return answer


def refusal(answer: object) -> ErrorCode:
    if not isinstance(answer, Error):
        raise SystemExit(f"not refused: {answer}")
    return answer.error.code


def sell(client: AuthenticatedClient) -> dict[str, str]:
    product = answered(
        products_create.sync(client=client, body=ProductCreateBody(product=ProductCreate(name="Plano Ouro")))
    )
    new_price = PriceCreate(product_id=product.id, unit_amount=9990, type_=PriceType.ONE_TIME)
    price = answered(prices_create.sync(client=client, body=PriceCreateBody(price=new_price)))
    new_customer = CustomerCreate(name="Maria da Silva", identifier="529.982.247-25", email="maria@example.com")
    customer = answered(customers_create.sync(client=client, body=CustomerCreateBody(customer=new_customer)))
    line = LineItemInput(price_id=price.id, quantity=1)
    new_invoice = InvoiceCreate(customer_id=customer.id, line_items=[line])
    invoice = answered(
        invoices_create.sync(client=client, body=InvoiceCreateBody(invoice=new_invoice), idempotency_key="sale-1")
    )

    charged = answered(
        invoices_checkout.sync(invoice.id, client=client, body=CheckoutByPix(payment_method_type="pix"))
    )
    method = charged.payment_method
    if not isinstance(method, PaymentMethodByPix) or charged.payment_intent is None:
        raise SystemExit(f"no QR code: {method}")
    paid = PayPixBody(scenario=PixScenario.PAID)
    answered(test_helpers_payment_intents_pay_pix.sync(charged.payment_intent, client=client, body=paid))

    sold = answered(invoices_retrieve.sync(invoice.id, client=client))
    if sold.status is not InvoiceStatus.PAID:
        raise SystemExit(f"not paid: {sold.status}")
    again = invoices_checkout.sync(invoice.id, client=client, body=CheckoutByPix(payment_method_type="pix"))
    return {
        "invoice": sold.id,
        "status": sold.status,
        "copy_paste": method.pix.pix_copy_paste,
        "paid_again": refusal(again),
    }


if __name__ == "__main__":
    _, base_url, key = sys.argv
    with AuthenticatedClient(base_url=base_url, token=key, prefix="ApiKey", raise_on_unexpected_status=True) as fatura:
        print(json.dumps(sell(fatura)))
