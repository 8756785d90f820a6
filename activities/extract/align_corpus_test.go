package extract

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"research/transcript"
)

// A tongue makes interviews in one language. In its sentences {x} stands for one of the words of x, {n} for a number, and [a|b] for a sentence's two meanings.
type tongue struct {
	name       string
	sentences  []string
	words      map[string][]string
	fillers    []string
	spaceless  bool
	typography []string // old and new in turn
}

var tongues = []tongue{
	{
		name: "English",
		sentences: []string{
			"Every {day} I sit down with the {thing} and it takes me about {n} hours before {who} can even look at it.",
			"When {who} asked for the {thing} last {time}, we [could|couldn't] find it because it was buried in {place}.",
			"To be fair, the {thing} [is|isn't] the part of the job that {who} complains about in {place}.",
			"We tried a tool for that in {time}, and {who} [kept|never kept] using it after the trial of {n} days ended.",
			"If somebody offered to take the {thing} off my desk I would pay {n} dollars a month on {day} without asking {who}.",
			"My biggest fear is that the {thing} gets lost between {place} and the people who sign it off.",
			"There were {n} mistakes in the {thing} that went out on {day}, and {who} noticed them before the customer did.",
			"Usually {who} [does|does not] read the {thing} until something breaks in {place} and the phones start ringing.",
			"I remember one {day} when the printer in {place} jammed and {who} carried the {thing} across town by bike.",
			"Our budget for software [was|wasn't] approved in {time}, which surprised {who} and everybody else upstairs.",
			"Half of my team grew up with paper, so a {thing} on a screen feels strange to them even now.",
			"The auditors come in {time} and want {n} samples of the {thing}, signed and dated, from {place}.",
			"Honestly I [trust|don't trust] the numbers that {who} puts into the {thing} late on a {day} evening.",
			"What slows us down is waiting for {who}, since nobody else holds the password for {place}.",
			"We hired {n} people for this in {time} and still the {thing} piles up in {place} by {day}.",
			"Nobody told {who} that the {thing} has to be kept for {n} years, so some of it was thrown away.",
			"After lunch {who} walks through {place} and collects every {thing} that came in since {day}.",
			"The new system [will|won't] replace the {thing}, according to what {who} said at the meeting in {time}.",
		},
		words: map[string][]string{
			"day":   {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
			"thing": {"invoice", "expense report", "delivery note", "contract", "time sheet", "purchase order", "stock list", "tax form", "packing slip", "receipt", "payroll run", "price list"},
			"who":   {"Maria", "the accountant", "my boss", "our bookkeeper", "the warehouse lead", "Jonas", "the intern", "head office", "the buyer", "Priya"},
			"place": {"the shared drive", "the back office", "an old mailbox", "the basement archive", "our chat", "the branch in Leeds", "a spreadsheet", "the van"},
			"time":  {"January", "spring", "the third quarter", "September", "autumn", "the summer", "February", "November"},
		},
		fillers:    []string{"um,", "uh,", "you know,", "I mean,", "like,", "[laughs]"},
		typography: []string{"'", "’", ", ", " – ", "I ", "i "},
	},
	{
		name: "German",
		sentences: []string{
			"Jeden {day} setze ich mich an {thing} und brauche ungefähr {n} Stunden, bevor {who} überhaupt draufschaut.",
			"Als {who} im {time} danach fragte, [konnten wir|konnten wir nicht] sagen, wo {thing} in {place} liegt.",
			"Ehrlich gesagt [ist das|ist das nicht] der Teil der Arbeit, über den sich {who} in {place} beschwert.",
			"Wir haben im {time} ein Werkzeug ausprobiert, und {who} hat es nach {n} Tagen [weiter benutzt|nicht weiter benutzt].",
			"Wenn mir jemand {thing} abnähme, würde ich am {day} sofort {n} Euro im Monat dafür bezahlen.",
			"Meine größte Sorge ist, dass {thing} irgendwo zwischen {place} und der Geschäftsführung verloren geht.",
			"Am {day} sind {n} Fehler hinausgegangen, und gemerkt hat sie ausgerechnet {who} beim Frühstück.",
			"Normalerweise liest {who} {thing} [sofort|keineswegs sofort], bis in {place} das Telefon klingelt.",
			"Unser Budget für Software [wurde|wurde nicht] im {time} genehmigt, was {who} sehr überrascht hat.",
			"Die Prüfer kommen im {time} und wollen {n} Stichproben mit Stempel und Datum aus {place} sehen.",
			"Was uns aufhält, ist das Warten auf {who}, denn sonst hat niemand das Kennwort für {place}.",
			"Nach dem Mittagessen läuft {who} durch {place} und sammelt ein, was seit {day} liegen geblieben ist.",
		},
		words: map[string][]string{
			"day":   {"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
			"thing": {"die Rechnung", "den Lieferschein", "die Reisekosten", "den Vertrag", "die Bestellung", "die Lagerliste", "das Formular", "die Quittungen", "die Lohnabrechnung"},
			"who":   {"Maria", "die Buchhalterin", "mein Chef", "der Lagerleiter", "Jonas", "die Zentrale", "unser Praktikant", "Frau Müller"},
			"place": {"der Ablage", "dem Keller", "einem alten Postfach", "der Filiale in Köln", "unserem Chat", "der Tabelle", "dem Lieferwagen"},
			"time":  {"Januar", "Frühling", "dritten Quartal", "September", "Herbst", "Sommer", "Februar", "November"},
		},
		fillers:    []string{"ähm,", "äh,", "halt", "sozusagen", "ich meine,"},
		typography: []string{"ß", "ss", ", ", " – ", "ü", "ü"},
	},
	{
		name: "French",
		sentences: []string{
			"Chaque {day} je m'installe devant {thing} et il me faut environ {n} heures avant que {who} puisse le regarder.",
			"Quand {who} l'a demandé en {time}, nous [savions|ne savions pas] où se trouvait {thing} dans {place}.",
			"Franchement, c'est la partie du travail dont {who} [se plaint|ne se plaint jamais] dans {place}.",
			"On a essayé un outil en {time}, et {who} [l'utilisait encore|ne l'utilisait plus] au bout de {n} jours.",
			"Si quelqu'un me débarrassait de {thing}, je paierais volontiers {n} euros par mois dès {day} prochain.",
			"Ma plus grande crainte, c'est que {thing} se perde quelque part entre {place} et la direction.",
			"Il y avait {n} erreurs dans l'envoi de {day}, et {who} s'en est aperçu avant le client.",
			"D'habitude {who} [lit|ne lit pas] {thing} avant que le téléphone sonne dans {place} en fin de journée.",
			"Notre budget pour les logiciels [a été|n'a pas été] approuvé en {time}, ce qui a surpris {who}.",
			"Les auditeurs viennent en {time} et demandent {n} exemplaires signés et datés qui dorment dans {place}.",
			"Ce qui nous ralentit, c'est d'attendre {who}, puisque l'accès à {place} est chez cette personne.",
			"Après le déjeuner {who} traverse {place} et ramasse ce qui est arrivé depuis {day} matin.",
		},
		words: map[string][]string{
			"day":   {"lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
			"thing": {"la facture", "le bon de livraison", "la note de frais", "le contrat", "la commande", "l'inventaire", "le formulaire", "la fiche de paie", "le reçu"},
			"who":   {"Maria", "la comptable", "mon chef", "le magasinier", "Jonas", "le siège", "notre stagiaire", "Hélène"},
			"place": {"le dossier partagé", "la cave", "une vieille boîte", "l'agence de Lyon", "notre messagerie", "le tableau", "la camionnette"},
			"time":  {"janvier", "mars", "juin", "septembre", "octobre", "été", "février", "novembre"},
		},
		fillers:    []string{"euh,", "ben,", "tu sais,", "du coup", "hein,"},
		typography: []string{"'", "’", ", ", " — ", "é", "é"},
	},
	{
		name: "Spanish",
		sentences: []string{
			"Cada {day} me siento con {thing} y tardo unas {n} horas antes de que {who} pueda mirarlo.",
			"Cuando {who} lo pidió en {time}, [supimos|no supimos] decir dónde estaba {thing} en {place}.",
			"Sinceramente, [es|no es] la parte del trabajo de la que se queja {who} en {place}.",
			"Probamos una herramienta en {time}, y {who} [siguió|nunca siguió] usándola al cabo de {n} días.",
			"Si alguien me quitara {thing} de encima, pagaría {n} euros al mes desde el {day} que viene.",
			"Mi mayor miedo es que {thing} se pierda en algún lugar entre {place} y la dirección.",
			"Había {n} errores en el envío del {day}, y {who} se dio cuenta antes que el cliente.",
			"Normalmente {who} [lee|no lee] {thing} hasta que suena el teléfono en {place} por la tarde.",
			"Nuestro presupuesto para programas [fue|no fue] aprobado en {time}, lo que sorprendió a {who}.",
			"Los auditores vienen en {time} y quieren {n} muestras firmadas y fechadas que están en {place}.",
			"Lo que nos frena es esperar a {who}, porque la clave de {place} la tiene esa persona.",
			"Después de comer {who} recorre {place} y recoge lo que ha llegado desde el {day}.",
		},
		words: map[string][]string{
			"day":   {"lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
			"thing": {"la factura", "el albarán", "la nota de gastos", "el contrato", "el pedido", "el inventario", "el formulario", "la nómina", "el recibo"},
			"who":   {"María", "la contable", "mi jefe", "el encargado", "Jonás", "la central", "nuestro becario", "Inés"},
			"place": {"la carpeta compartida", "el sótano", "un buzón viejo", "la sucursal de Lugo", "nuestro chat", "la tabla", "la furgoneta"},
			"time":  {"enero", "primavera", "junio", "septiembre", "otoño", "verano", "febrero", "noviembre"},
		},
		fillers:    []string{"este,", "pues", "o sea,", "bueno,"},
		typography: []string{", ", " — ", "á", "á", "¿", ""},
	},
	{
		name: "Japanese", spaceless: true,
		sentences: []string{
			"毎週|{day}|に|{thing}|を|作る|の|に|{n}時間|ぐらい|かかって|、|その|あと|{who}|が|確認|します|。",
			"{time}|に|{who}|から|聞かれた|とき|、|{thing}|が|{place}|に|ある|と|すぐに|[言えました|言えませんでした]|。",
			"正直に|言う|と|、|{place}|で|{who}|が|一番|文句を|言う|の|は|この|作業|[です|ではないです]|。",
			"{time}|に|新しい|道具|を|試して|、|{n}日後|も|{who}|は|それを|[使っていました|使っていませんでした]|。",
			"もし|誰か|が|{thing}|を|代わりに|やって|くれる|なら|、|来週|の|{day}|から|毎月|{n}円|払います|。",
			"一番|心配|な|の|は|、|{thing}|が|{place}|と|本社|の|あいだ|で|なくなる|こと|です|。",
			"{day}|に|送った|書類|に|間違い|が|{n}件|あって|、|お客様|より|先に|{who}|が|気づきました|。",
			"ふだん|{who}|は|{place}|の|電話|が|鳴る|まで|{thing}|を|[読みます|読みません]|。",
			"ソフト|の|予算|は|{time}|に|[承認されました|承認されませんでした]|ので|、|{who}|は|とても|驚いて|いました|。",
			"監査|の|人|が|{time}|に|来て|、|{place}|から|署名|の|ある|見本|を|{n}枚|ほしい|と|言います|。",
		},
		words: map[string][]string{
			"day":   {"月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日"},
			"thing": {"請求書", "納品書", "経費の表", "契約書", "注文書", "在庫の一覧", "申込書", "給与明細", "領収書"},
			"who":   {"マリアさん", "経理の方", "部長", "倉庫の係", "田中さん", "本部", "研修生", "社長"},
			"place": {"共有フォルダ", "地下の倉庫", "古いメール", "大阪の支店", "チャット", "表計算", "配送車"},
			"time":  {"一月", "春", "六月", "九月", "秋", "夏", "去年", "先月"},
		},
		fillers:    []string{"えっと、", "あのー、", "まあ、"},
		typography: []string{"。", ".", "、", ",", "を", " を"},
	},
	{
		name: "Arabic",
		sentences: []string{
			"كل {day} أجلس مع {thing} وأحتاج حوالي {n} ساعات قبل أن يراجعها {who} في المكتب.",
			"عندما سأل {who} عنها في {time} [استطعنا|لم نستطع] أن نجد {thing} في {place} بسرعة.",
			"بصراحة هذا [هو|ليس هو] الجزء من العمل الذي يشكو منه {who} في {place} دائما.",
			"جربنا أداة جديدة في {time} وبعد {n} أيام [ظل|لم يظل] {who} يستخدمها مع الفريق.",
			"لو أخذ أحد {thing} عن كاهلي لدفعت {n} دولارا في الشهر ابتداء من {day} القادم.",
			"أكبر مخاوفي أن تضيع {thing} في مكان ما بين {place} وبين الإدارة العليا.",
			"وجدنا {n} أخطاء في الشحنة التي خرجت يوم {day} وقد لاحظها {who} قبل الزبون.",
			"عادة [يقرأ|لا يقرأ] {who} ورقة {thing} حتى يرن الهاتف في {place} آخر النهار.",
			"ميزانية البرامج [تمت|لم تتم] الموافقة عليها في {time} وهذا فاجأ {who} وجميع الزملاء.",
			"يأتي المدققون في {time} ويريدون {n} نماذج موقعة ومؤرخة من {place} في الطابق السفلي.",
		},
		words: map[string][]string{
			"day":   {"الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت"},
			"thing": {"الفاتورة", "المصاريف", "الطلبية", "الاتفاقية", "القائمة", "الاستمارة", "الرواتب", "الإيصالات"},
			"who":   {"مريم", "المحاسب", "مديري", "أمين المخزن", "يونس", "المقر", "المتدرب", "سعاد"},
			"place": {"المجلد المشترك", "القبو", "بريد قديم", "فرع دبي", "المحادثة", "الجدول", "الشاحنة"},
			"time":  {"يناير", "الربيع", "يونيو", "سبتمبر", "الخريف", "الصيف", "فبراير", "نوفمبر"},
		},
		fillers:    []string{"يعني", "آه", "طيب"},
		typography: []string{"أ", "ا", "ة", "ه", "لا", "لـا"},
	},
}

// An atom is a word of a made sentence, or several that belong together.
type atom struct {
	text string
	alt  string // the other meaning; "" where there is none
	kind byte   // 'w' word, 'f' filler, 's' sense (one of two meanings), 'n' number
}

var atomPattern = regexp.MustCompile(`\[[^]]*\]|[^\s|]*\{n\}[^\s|]*`)

// fill makes a sentence of a template.
func (tg *tongue) fill(rng *rand.Rand, template string) []atom {
	separator := " "
	if tg.spaceless {
		separator = "|"
	}
	var atoms []atom
	plain := func(s string) {
		for _, w := range strings.Split(s, separator) {
			if w != "" {
				atoms = append(atoms, atom{text: w, kind: 'w'})
			}
		}
	}
	filled := template
	for _, name := range slices.Sorted(maps.Keys(tg.words)) {
		list := tg.words[name]
		for strings.Contains(filled, "{"+name+"}") {
			filled = strings.Replace(filled, "{"+name+"}", list[rng.IntN(len(list))], 1)
		}
	}
	at := 0
	for _, where := range atomPattern.FindAllStringIndex(filled, -1) {
		plain(filled[at:where[0]])
		slot := filled[where[0]:where[1]]
		at = where[1]
		if strings.HasPrefix(slot, "[") {
			a, b, _ := strings.Cut(strings.Trim(slot, "[]"), "|")
			if rng.IntN(2) == 0 {
				a, b = b, a
			}
			atoms = append(atoms, atom{text: a, alt: b, kind: 's'})
			continue
		}
		n := 2 + rng.IntN(90)
		atoms = append(atoms, atom{
			text: strings.Replace(slot, "{n}", fmt.Sprint(n), 1), alt: strings.Replace(slot, "{n}", fmt.Sprint(n+1+rng.IntN(9)), 1), kind: 'n',
		})
	}
	plain(filled[at:])
	return atoms
}

func (tg *tongue) join(atoms []atom) string {
	texts := make([]string, len(atoms))
	for i, a := range atoms {
		texts[i] = a.text
	}
	if tg.spaceless {
		return strings.Join(texts, "")
	}
	return strings.Join(texts, " ")
}

// A made interview knows the sentences of its turns.
type made struct {
	t     *transcript.Transcript
	turns [][]sentence
	clean string // all sentences without fillers
}

type sentence struct {
	template int
	atoms    []atom
}

// interview makes one of some of the templates: those of the same remainder.
func (tg *tongue) interview(rng *rand.Rand, turns, remainder, of int) made {
	m := made{t: &transcript.Transcript{}}
	for i := range turns {
		var said []sentence
		var texts []string
		for range 2 + rng.IntN(3) {
			template := rng.IntN((len(tg.sentences)-remainder+of-1)/of)*of + remainder
			var spoken []atom
			for _, a := range tg.fill(rng, tg.sentences[template]) {
				if rng.IntN(7) == 0 {
					spoken = append(spoken, atom{text: tg.fillers[rng.IntN(len(tg.fillers))], kind: 'f'})
				}
				if a.kind == 'w' && !tg.spaceless && rng.IntN(20) == 0 && !strings.ContainsAny(a.text, ".,") {
					spoken = append(spoken, atom{text: a.text, kind: 'f'}) // said twice
				}
				spoken = append(spoken, a)
			}
			said = append(said, sentence{template, spoken})
			m.clean += tg.join(withoutFillers(spoken)) + "\n"
			texts = append(texts, tg.join(spoken))
		}
		separator := " "
		if tg.spaceless {
			separator = ""
		}
		text := strings.Join(texts, separator)
		if i > 0 {
			m.t.Text += "\n"
		}
		from := len(m.t.Text)
		m.t.Text += text
		m.t.Utterances = append(m.t.Utterances, transcript.Utterance{Speaker: []string{"Ann", "Ben"}[i%2], Text: text, ByteStart: from, ByteEnd: len(m.t.Text)})
		m.turns = append(m.turns, said)
	}
	return m
}

func withoutFillers(atoms []atom) []atom {
	var clean []atom
	for _, a := range atoms {
		if a.kind != 'f' {
			clean = append(clean, a)
		}
	}
	return clean
}
