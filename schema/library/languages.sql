-- SPDX-License-Identifier: MIT
-- Languages that have a two-letter code: ISO 639-1, 639-2/T, 639-2/B where it differs, name. A language
-- without one is known by its three letters, in both standards and in BCP 47.
insert into library.language_code (code, tag, title)
select distinct code, l.m[1], l.m[4]
from regexp_matches('
    aa aar Afar, ab abk Abkhazian, ae ave Avestan, af afr Afrikaans, ak aka Akan, am amh Amharic,
    an arg Aragonese, ar ara Arabic, as asm Assamese, av ava Avaric, ay aym Aymara, az aze Azerbaijani,
    ba bak Bashkir, be bel Belarusian, bg bul Bulgarian, bh bih Bihari, bi bis Bislama, bm bam Bambara,
    bn ben Bengali, bo bod tib Tibetan, br bre Breton, bs bos Bosnian, ca cat Catalan, ce che Chechen,
    ch cha Chamorro, co cos Corsican, cr cre Cree, cs ces cze Czech, cu chu Church Slavic, cv chv Chuvash,
    cy cym wel Welsh, da dan Danish, de deu ger German, dv div Divehi, dz dzo Dzongkha, ee ewe Ewe,
    el ell gre Greek, en eng English, eo epo Esperanto, es spa Spanish, et est Estonian, eu eus baq Basque,
    fa fas per Persian, ff ful Fulah, fi fin Finnish, fj fij Fijian, fo fao Faroese, fr fra fre French,
    fy fry Western Frisian, ga gle Irish, gd gla Gaelic, gl glg Galician, gn grn Guarani, gu guj Gujarati,
    gv glv Manx, ha hau Hausa, he heb Hebrew, hi hin Hindi, ho hmo Hiri Motu, hr hrv Croatian,
    ht hat Haitian, hu hun Hungarian, hy hye arm Armenian, hz her Herero, ia ina Interlingua,
    id ind Indonesian, ie ile Interlingue, ig ibo Igbo, ii iii Sichuan Yi, ik ipk Inupiaq, io ido Ido,
    is isl ice Icelandic, it ita Italian, iu iku Inuktitut, ja jpn Japanese, jv jav Javanese,
    ka kat geo Georgian, kg kon Kongo, ki kik Kikuyu, kj kua Kuanyama, kk kaz Kazakh, kl kal Kalaallisut,
    km khm Central Khmer, kn kan Kannada, ko kor Korean, kr kau Kanuri, ks kas Kashmiri, ku kur Kurdish,
    kv kom Komi, kw cor Cornish, ky kir Kirghiz, la lat Latin, lb ltz Luxembourgish, lg lug Ganda,
    li lim Limburgan, ln lin Lingala, lo lao Lao, lt lit Lithuanian, lu lub Luba-Katanga, lv lav Latvian,
    mg mlg Malagasy, mh mah Marshallese, mi mri mao Maori, mk mkd mac Macedonian, ml mal Malayalam,
    mn mon Mongolian, mr mar Marathi, ms msa may Malay, mt mlt Maltese, my mya bur Burmese, na nau Nauru,
    nb nob Bokmål, nd nde Ndebele, ne nep Nepali, ng ndo Ndonga, nl nld dut Dutch, nn nno Norwegian Nynorsk,
    no nor Norwegian, nr nbl Ndebele, nv nav Navajo, ny nya Chichewa, oc oci Occitan, oj oji Ojibwa,
    om orm Oromo, or ori Oriya, os oss Ossetian, pa pan Panjabi, pi pli Pali, pl pol Polish, ps pus Pushto,
    pt por Portuguese, qu que Quechua, rm roh Romansh, rn run Rundi, ro ron rum Romanian, ru rus Russian,
    rw kin Kinyarwanda, sa san Sanskrit, sc srd Sardinian, sd snd Sindhi, se sme Northern Sami, sg sag Sango,
    si sin Sinhala, sk slk slo Slovak, sl slv Slovenian, sm smo Samoan, sn sna Shona, so som Somali,
    sq sqi alb Albanian, sr srp Serbian, ss ssw Swati, st sot Sotho, su sun Sundanese, sv swe Swedish,
    sw swa Swahili, ta tam Tamil, te tel Telugu, tg tgk Tajik, th tha Thai, ti tir Tigrinya, tk tuk Turkmen,
    tl tgl Tagalog, tn tsn Tswana, to ton Tonga, tr tur Turkish, ts tso Tsonga, tt tat Tatar, tw twi Twi,
    ty tah Tahitian, ug uig Uighur, uk ukr Ukrainian, ur urd Urdu, uz uzb Uzbek, ve ven Venda,
    vi vie Vietnamese, vo vol Volapük, wa wln Walloon, wo wol Wolof, xh xho Xhosa, yi yid Yiddish,
    yo yor Yoruba, za zha Zhuang, zh zho chi Chinese, zu zul Zulu',
    '([a-z]{2}) ([a-z]{3}) (?:([a-z]{3}) )?([^,\n]+)', 'g') l(m), unnest(l.m[1:3]) code
where code is not null on conflict (code) do nothing;   -- a site's own tag or title stays
