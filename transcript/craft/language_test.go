package craft_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/craft"
)

func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, language, text string }{
		{"English", "en", "so how do you keep track of the orders that come in over the phone"},
		{"German", "de", "Und wie machen Sie das, wenn die Leute am Telefon bestellen?"},
		{"Dutch", "nl", "En hoe doen jullie dat als er mensen aan de telefoon bestellen?"},
		{"French", "fr", "Et comment vous faites quand les gens commandent par téléphone avec vous ?"},
		{"Spanish", "es", "¿Y cómo lo hacen cuando la gente pide por teléfono, o sea los que no tienen cuenta?"},
		{"Portuguese", "pt", "E como é que vocês fazem quando as pessoas não têm conta e pedem por telefone?"},
		{"Italian", "it", "E come fate quando la gente ordina per telefono, cioè quelli che non sono nel sistema?"},
		{"Polish", "pl", "A jak to robicie, kiedy ludzie zamawiają przez telefon i nie mają konta?"},
		{"Russian", "ru", "А как вы это делаете, когда люди заказывают по телефону и у них нет счёта?"},
		{"Chinese", "zh", "那客人打电话来订的时候你们是怎么处理的？"},
		{"Japanese", "ja", "電話で注文が来たときはどうしているんですか？"},
		{"Ukrainian", "", "А як ви це робите, коли люди замовляють телефоном і в них немає рахунку? Ми її знаємо."},
		{"Bulgarian", "", "А как го правите, когато хората поръчват по телефона и нямат сметка? Това е така."},
		{"Finnish", "", "Ja miten te teette sen, kun ihmiset tilaavat puhelimella eikä heillä ole tiliä?"},
		{"Turkish", "", "Peki insanlar telefonla sipariş verdiğinde bunu nasıl yapıyorsunuz ve ne kadar sürüyor?"},
		{"Hungarian", "", "És hogyan csinálják, amikor az emberek telefonon rendelnek, és nincs számlájuk?"},
		{"Swedish", "", "Och hur gör ni när folk beställer per telefon och inte har något konto hos er?"},
		{"Czech", "", "A jak to děláte, když lidé objednávají po telefonu a nemají u vás účet?"},
		{"Romanian", "", "Și cum faceți când oamenii comandă prin telefon și nu au cont la dumneavoastră?"},
		{"Catalan", "", "I com ho feu quan la gent demana per telèfon i no té compte amb vosaltres?"},
		{"Arabic", "", "وكيف تفعلون ذلك عندما يطلب الناس عبر الهاتف؟"},
		{"Hindi", "", "और जब लोग फ़ोन पर ऑर्डर करते हैं तो आप यह कैसे करते हैं?"},
		{"Korean", "", "사람들이 전화로 주문하면 어떻게 처리하시나요?"},
		{"Greek", "", "Και πώς το κάνετε όταν ο κόσμος παραγγέλνει από το τηλέφωνο;"},
		{"no words", "", "12:30 — 14:00 ... %%%"},
		{"nonsense", "", "xkcd qwerty lorem zzz foo bar baz quux grault garply waldo fred"},
		{"nothing", "", ""},
	} {
		require.Equal(t, c.language, craft.Language([]string{c.text}), c.name)
		require.Equal(t, c.language, craft.Language(strings.SplitAfter(c.text, " ")), c.name+", in pieces")
	}

	t.Run("is that of most words", func(t *testing.T) {
		t.Parallel()
		english := strings.Repeat("and then we have to call them and tell them what it is that they get. ", 3000)
		german := strings.Repeat("und dann rufen wir sie an und sagen ihnen, was das ist und wie es geht. ", 1000)
		require.Equal(t, "en", craft.Language([]string{german, english}))
		require.Equal(t, "en", craft.Language([]string{english, german}))
		finnish := strings.Repeat("ja sitten me soitamme heille ja kerromme, mitä se on ja miten se toimii. ", 9000)
		require.Empty(t, craft.Language([]string{english, finnish}))
	})

	t.Run("of every labelled question is right or unknown", func(t *testing.T) {
		t.Parallel()
		for _, l := range readLabelled(t) {
			require.Contains(t, []string{"", l.language}, craft.Language([]string{l.text}), l.text)
		}
	})

	t.Run("of the questions of an interview is known", func(t *testing.T) {
		t.Parallel()
		texts := map[string][]string{}
		for _, l := range readLabelled(t) {
			if !strings.HasPrefix(l.half, "polite") { // an interview is not requests only
				texts[l.language] = append(texts[l.language], l.text)
			}
		}
		for language, questions := range texts {
			require.Equal(t, language, craft.Language(questions))
			for from := 0; from+8 <= len(questions); from += 8 {
				require.Equal(t, language, craft.Language(questions[from:from+8]), questions[from:from+8])
			}
		}
	})
}
