// A sale by PIX with the client that oapi-codegen makes: sale <base URL> <sandbox key>.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"fatura.example/generators/fatura"
)

type sale struct {
	Invoice   string               `json:"invoice"`
	Status    fatura.InvoiceStatus `json:"status"`
	CopyPaste string               `json:"copy_paste"`
	PaidAgain fatura.ErrorCode     `json:"paid_again"`
}

// answered is the object of an answer, or the end of the program with what came instead.
func answered[T any](object *T, body []byte) *T {
	if object == nil {
		log.Fatalf("refused: %s", body)
	}
	return object
}

func must[T any](answer T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func byPix() fatura.InvoiceCheckout {
	var checkout fatura.InvoiceCheckout
	if err := checkout.FromCheckoutByPix(fatura.CheckoutByPix{PaymentMethodType: fatura.CheckoutByPixPaymentMethodTypePix}); err != nil {
		log.Fatal(err)
	}
	return checkout
}

func bill(ctx context.Context, client *fatura.ClientWithResponses) *fatura.Invoice {
	created := must(client.ProductsCreateWithResponse(ctx, nil, fatura.ProductCreateBody{
		Product: fatura.ProductCreate{Name: "Plano Ouro"},
	}))
	product := answered(created.JSON201, created.Body)
	priced := must(client.PricesCreateWithResponse(ctx, nil, fatura.PriceCreateBody{
		Price: fatura.PriceCreate{ProductId: product.Id, UnitAmount: 9990, Type: fatura.PriceTypeOneTime},
	}))
	price := answered(priced.JSON201, priced.Body)
	known := must(client.CustomersCreateWithResponse(ctx, nil, fatura.CustomerCreateBody{
		Customer: fatura.CustomerCreate{Name: "Maria da Silva", Identifier: "529.982.247-25", Email: "maria@example.com"},
	}))
	customer := answered(known.JSON201, known.Body)
	key := "sale-1"
	billed := must(client.InvoicesCreateWithResponse(ctx, &fatura.InvoicesCreateParams{IdempotencyKey: &key}, fatura.InvoiceCreateBody{
		Invoice: fatura.InvoiceCreate{
			CustomerId: &customer.Id,
			LineItems:  []fatura.LineItemInput{{PriceId: price.Id, Quantity: 1}},
		},
	}))
	return answered(billed.JSON201, billed.Body)
}

func sell(ctx context.Context, client *fatura.ClientWithResponses) sale {
	invoice := bill(ctx, client)
	charged := must(client.InvoicesCheckoutWithResponse(ctx, invoice.Id, nil, byPix()))
	open := answered(charged.JSON201, charged.Body)
	method := must(answered(open.PaymentMethod, charged.Body).AsPaymentMethodByPix())
	intent := *answered(open.PaymentIntent, charged.Body)
	paid := must(client.TestHelpersPaymentIntentsPayPixWithResponse(ctx, intent, nil, fatura.PayPixBody{Scenario: fatura.PixScenarioPaid}))
	answered(paid.JSON200, paid.Body)

	retrieved := must(client.InvoicesRetrieveWithResponse(ctx, invoice.Id))
	sold := answered(retrieved.JSON200, retrieved.Body)
	if sold.Status != fatura.InvoiceStatusPaid {
		log.Fatalf("not paid: %s", sold.Status)
	}
	again := must(client.InvoicesCheckoutWithResponse(ctx, invoice.Id, nil, byPix()))
	return sale{
		Invoice:   sold.Id,
		Status:    sold.Status,
		CopyPaste: method.Pix.PixCopyPaste,
		PaidAgain: answered(again.JSON409, again.Body).Error.Code,
	}
}

func main() {
	baseURL, key := os.Args[1], os.Args[2]
	client := must(fatura.NewClientWithResponses(baseURL, fatura.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "ApiKey "+key)
			return nil
		},
	)))
	fmt.Println(string(must(json.Marshal(sell(context.Background(), client)))))
}
