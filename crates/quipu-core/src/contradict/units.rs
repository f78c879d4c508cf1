//! What amounts are of, and the names of units, numbers, months and days.

/// What an amount is of. Only amounts of one dimension can stand for each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dimension {
    /// Thousandths of a second.
    Duration,
    /// Thousandths of a second between two occurrences.
    Frequency,
    /// Minutes since midnight; times without am or pm are ambiguous.
    Clock,
    /// A day of the week.
    Weekday,
    /// A month, or a day of one: `100 * month + day`.
    Date,
    /// A day of any month.
    DayOfMonth,
    Year,
    Bytes,
    Length,
    Mass,
    Percent,
    /// Degrees.
    Temperature,
    /// Times a second.
    Hertz,
    Volume,
    Area,
    /// "second", "3rd": the place in an order.
    Ordinal,
    /// A number alone, an amount of money, a version.
    Number,
    /// So many of something.
    Count,
}

/// Units: name, dimension, numerator and denominator of the base unit.
#[rustfmt::skip]
pub(super) const UNITS: &[(&str, Dimension, i64, i64)] = &[
    ("ns millis ms millisecond milliseconds msec millisekunden", Dimension::Duration, 1, 1000),
    ("s sec secs second seconds sekunde sekunden seconde secondes segundo segundos", Dimension::Duration, 1, 1),
    ("min mins minute minutes minuten minuto minutos", Dimension::Duration, 60, 1),
    ("h hr hrs hour hours stunde stunden heure heures hora horas", Dimension::Duration, 3600, 1),
    ("d day days tag tage tagen jour jours día días dia dias", Dimension::Duration, 86_400, 1),
    ("week weeks woche wochen semaine semaines semana semanas", Dimension::Duration, 604_800, 1),
    ("fortnight fortnights", Dimension::Duration, 1_209_600, 1),
    ("month months monat monate monaten mois mes meses", Dimension::Duration, 2_592_000, 1),
    ("quarter quarters", Dimension::Duration, 7_776_000, 1),
    ("year years jahr jahre jahren an ans année années año años", Dimension::Duration, 31_536_000, 1),
    ("b byte bytes", Dimension::Bytes, 1, 1),
    ("kb kib kilobyte kilobytes", Dimension::Bytes, 1024, 1),
    ("mb mib megabyte megabytes", Dimension::Bytes, 1_048_576, 1),
    ("gb gib gigabyte gigabytes gig", Dimension::Bytes, 1_073_741_824, 1),
    ("tb tib terabyte terabytes", Dimension::Bytes, 1_099_511_627_776, 1),
    ("mm millimetre millimetres", Dimension::Length, 1, 1000),
    ("cm centimetre centimetres", Dimension::Length, 1, 100),
    ("m metre metres meter meters", Dimension::Length, 1, 1),
    ("km kilometre kilometres kilometer kilometers", Dimension::Length, 1000, 1),
    ("mile miles mi", Dimension::Length, 1609, 1),
    ("mg milligram milligrams", Dimension::Mass, 1, 1000),
    ("g gram grams gramm", Dimension::Mass, 1, 1),
    ("kg kilo kilos kilogram kilograms", Dimension::Mass, 1000, 1),
    ("degrees degree ° °c °f grad grados", Dimension::Temperature, 1, 1),
    ("hz hertz fps", Dimension::Hertz, 1, 1),
    ("khz", Dimension::Hertz, 1000, 1),
    ("mhz", Dimension::Hertz, 1_000_000, 1),
    ("ghz", Dimension::Hertz, 1_000_000_000, 1),
    ("ml millilitre millilitres milliliter", Dimension::Volume, 1, 1000),
    ("l litre litres liter liters", Dimension::Volume, 1, 1),
    ("m² sqm qm", Dimension::Area, 1, 1),
    ("% percent per_cent prozent pourcent", Dimension::Percent, 1, 1),
    ("€ euro euros eur $ dollar dollars usd £ pound pounds gbp chf quid", Dimension::Number, 1, 1),
];

/// Numbers in words.
#[rustfmt::skip]
pub(super) const NUMBER_WORDS: &[(&str, i64)] = &[
    ("zero", 0), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("seven", 7),
    ("eight", 8), ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12), ("thirteen", 13),
    ("fourteen", 14), ("fifteen", 15), ("sixteen", 16), ("seventeen", 17), ("eighteen", 18), ("nineteen", 19),
    ("twenty", 20), ("thirty", 30), ("forty", 40), ("fifty", 50), ("sixty", 60), ("seventy", 70),
    ("eighty", 80), ("ninety", 90), ("hundred", 100), ("dozen", 12), ("thousand", 1000),
    ("million", 1_000_000), ("both", 2),
    ("eins", 1), ("zwei", 2), ("drei", 3), ("vier", 4), ("fünf", 5), ("sechs", 6),
    ("sieben", 7), ("acht", 8), ("neun", 9), ("zehn", 10), ("elf", 11), ("zwölf", 12), ("zwanzig", 20),
    ("dreißig", 30), ("deux", 2), ("trois", 3), ("quatre", 4),
    ("cinq", 5), ("sept", 7), ("huit", 8), ("neuf", 9), ("dix", 10), ("douze", 12), ("quinze", 15),
    ("vingt", 20), ("trente", 30), ("dos", 2), ("tres", 3), ("cuatro", 4), ("cinco", 5), ("seis", 6),
    ("siete", 7), ("ocho", 8), ("nueve", 9), ("diez", 10), ("doce", 12), ("veinte", 20), ("treinta", 30),
];

/// Words that say how often, with the seconds between.
#[rustfmt::skip]
pub(super) const FREQUENCIES: &[(&str, i64)] = &[
    ("hourly", 3600), ("daily", 86_400), ("nightly", 86_400), ("täglich", 86_400), ("diario", 86_400),
    ("quotidien", 86_400), ("weekly", 604_800), ("wöchentlich", 604_800), ("fortnightly", 1_209_600),
    ("biweekly", 1_209_600), ("bi-weekly", 1_209_600), ("monthly", 2_592_000), ("monatlich", 2_592_000),
    ("quarterly", 7_776_000), ("yearly", 31_536_000), ("annually", 31_536_000), ("jährlich", 31_536_000),
];

/// Words for "every".
#[rustfmt::skip]
pub(super) const EVERY: &[&str] = &[
    "every", "each", "jeden", "jede", "jedes", "alle", "chaque", "cada", "todos", "tous", "toutes", "todas",
];

/// Words before a period.
#[rustfmt::skip]
pub(super) const PER: &[&str] = &[
    "im", "die", "la", "le", "a", "an", "per", "each", "every", "pro", "am", "par", "por", "al", "in",
];

/// The months, each with its names.
#[rustfmt::skip]
pub(super) const MONTHS: &[&str] = &[
    "january jan januar janvier enero", "february feb februar février febrero", "march mar märz mars marzo",
    "april apr avril abril", "may mai mayo", "june jun juni juin junio", "july jul juli juillet julio",
    "august aug août agosto", "september sep sept septembre septiembre",
    "october oct oktober octobre octubre", "november nov novembre noviembre",
    "december dec dezember décembre diciembre",
];

/// The days of the week, each with its names.
#[rustfmt::skip]
pub(super) const WEEKDAYS: &[&str] = &[
    "monday mondays mon montag montags lundi lunes", "tuesday tuesdays tue dienstag dienstags mardi martes",
    "wednesday wednesdays wed mittwoch mittwochs mercredi miércoles",
    "thursday thursdays thu donnerstag donnerstags jeudi jueves",
    "friday fridays fri freitag freitags vendredi viernes",
    "saturday saturdays sat samstag samstags samedi sábado sábados",
    "sunday sundays sun sonntag sonntags dimanche domingo domingos",
];
