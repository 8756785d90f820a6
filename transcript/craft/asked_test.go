package craft_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/craft"
)

func TestAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, planned string
		same, others      []string
	}{
		{
			"en", "How do you handle returns from customers?",
			[]string{
				"So what happens when a customer returns something, how is that handled?",
				"um and returns from your customers how are they handled",
				"You mentioned customers before. If one of them returns a lamp, who handles the return?",
			},
			[]string{"How do customers find you?", "Who handles the payroll?", "And then?"},
		},
		{
			"en", "When was a shipment last damaged?",
			[]string{"Have you ever had damaged shipments?", "Tell me about the last shipment that was damaged."},
			[]string{"When did you last move?", "How do you ship?", "When was that?"},
		},
		{
			"en", "What about pricing?", []string{"So what about your pricing then?", "What is the pricing based on?"},
			[]string{"What about it?", "How did you set the pricing?"},
		},
		{
			"en", "Who decides?", []string{"Who decides?", "So who decides that?", "And who decides in the end?"},
			[]string{
				"When did you decide to leave the company?", "How did you decide?", "Did you decide?",
				"Who decided to leave the company?",
			},
		},
		{
			"en", "How do you pay?", []string{"How do you pay?", "Okay, and how are you paying for that?"},
			[]string{"Would you pay twenty dollars for this?", "When do you pay?", "Do you pay?"},
		},
		{
			"en", "How often?", []string{"And how often?", "How often does that happen?"},
			[]string{"So how often do you see your mother?", "How?", "Does that happen often?"},
		},
		{
			"en", "What do you do when it breaks?", []string{"And when it breaks, what do you do?"},
			[]string{"Did the printer break yesterday?", "When did it break?", "Why does it break?"},
		},
		{"en", "When do you pay?", []string{"So when did you pay?"}, []string{"Do you pay?", "How do you pay?"}},
		{
			"en", "Do you pay?", []string{"Do you pay?"},
			[]string{"Who pays?", "Would you pay twenty dollars for this?"},
		},
		{"en", "Why?", []string{"Why?", "So why?"}, []string{"Why not?", "How?", "And then?", ""}},
		{
			"de", "Wie bezahlen Sie?", []string{"Und wie bezahlen Sie das?"},
			[]string{"Würden Sie dafür bezahlen?", "Wer bezahlt das?"},
		},
		{"fr", "Qui décide ?", []string{"Et qui décide de ça ?"}, []string{"Quand avez-vous décidé de partir ?"}},
		{
			"es", "¿Quién decide?", []string{"¿Y quién lo decide?"},
			[]string{"¿Cuándo decidiste irte de la empresa?"},
		},
		{
			"it", "Chi decide?", []string{"E chi decide questo?"},
			[]string{"Quando ha deciso di lasciare l'azienda?"},
		},
		{"pt", "Quem decide?", []string{"E quem é que decide?"}, []string{"Quando decidiu sair da empresa?"}},
		{"nl", "Wie beslist?", []string{"En wie beslist dat?"}, []string{"Zou u snel beslissen?"}},
		{"pl", "Kto decyduje?", []string{"A kto o tym decyduje?"}, []string{"Jak długo pan decydował o zakupie?"}},
		{
			"ru", "Кто решает?", []string{"А кто это решает?"},
			[]string{"Когда вы решили уйти?", "Как вы это решали?"},
		},
		{
			"de", "Wie bearbeiten Sie Rücksendungen von Kunden?",
			[]string{
				"Was passiert, wenn ein Kunde eine Rücksendung hat, wer bearbeitet das?",
				"und ruecksendungen? wie bearbeiten sie die für kunden",
			},
			[]string{"Wie finden Kunden Sie?", "Was machen Sie am Freitag?"},
		},
		{
			"fr", "Comment gérez-vous les retours des clients ?",
			[]string{"Quand un client fait un retour, qui gère ça ?"},
			[]string{"Comment les clients vous trouvent-ils ?"},
		},
		{
			"es", "¿Cómo gestionan las devoluciones de los clientes?",
			[]string{"Y cuando un cliente hace una devolución, ¿quién la gestiona?"},
			[]string{"¿Cómo llegan los clientes?"},
		},
		{
			"ru", "Как вы обрабатываете возвраты клиентов?",
			[]string{"А если клиент оформляет возврат, кто его обрабатывает?"}, []string{"Как клиенты вас находят?"},
		},
		{"zh", "你们怎么处理客户退货？", []string{"客户要退货的时候，谁来处理？"}, []string{"客户怎么找到你们？", "你们怎么招人？"}},
		{"ja", "返品の処理はどうしていますか？", []string{"お客様から返品が来たら、誰が処理しますか？"}, []string{"採用はどうしていますか？"}},
	} {
		asked := append(append([]string{}, c.same...), c.others...)
		var want []int
		for i := range c.same {
			want = append(want, i)
		}
		require.Equal(t, [][]int{want}, craft.Asked([]string{c.planned}, asked, c.language), c.planned)
	}

	t.Run("each planned question has its own", func(t *testing.T) {
		t.Parallel()
		asked := []string{"How do you hire drivers?", "Who pays the invoices?", "How do drivers get hired?"}
		planned := []string{"Who pays for invoices?", "How are drivers hired?", "Why?", ""}
		require.Equal(t, [][]int{{1}, {0, 2}, nil, nil}, craft.Asked(planned, asked, "en"))
	})

	t.Run("nothing is known in a language without lists", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, [][]int{nil}, craft.Asked([]string{"Why returns?"}, []string{"Why returns?"}, "fi"))
		require.Empty(t, craft.Asked(nil, []string{"Why returns?"}, "en"))
	})
}
