// SPDX-License-Identifier: MIT
#include "tools/validate/mending.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "tools/validate/sentences.h"

namespace oai::validate {
namespace {

using namespace sentences;

struct Row {
    std::array<const Demand*, 8> demands;
    Mending mending;
};

constexpr Row kRows[] = {
    {{&kUriIdentifier},
     {"Harvesters send the identifier back in GetRecord, and aggregators make addresses of "
      "it; what is no URI gets lost or changed on the way. Harvesters that validate refuse "
      "the record.",
      "Begin each identifier with a scheme, best as oai:your.domain:number, and escape all "
      "that a URI does not allow."}},
    {{&kResourceLink},
     {"Portals such as BASE and OpenAIRE cannot lead their users to what the record "
      "describes, and many drop such records.",
      "Put the address, DOI or call number of the object into a dc:identifier."}},
    {{&kRecordIsMetadata},
     {"Harvesters expect metadata in each record that is not deleted. Some stop with an "
      "error, others store an empty record over a good one.",
      "Give the metadata, leave out records that have none in this format, or mark them as "
      "deleted."}},
    {{&kRecordUnambiguous},
     {"A harvester that asks for the prefix gets either format and cannot tell which.",
      "Give each format a metadataPrefix of its own."}},
    {{&kAboutSchema},
     {"Aggregators read rights and provenance from about containers; what is not valid is "
      "passed over, or the whole record is.",
      "Write the container as its schema says, or leave it out."}},
    {{&kDeletedLevels, &kNoDeletions},
     {"Harvesters decide by deletedRecord how they learn of deletions. Where it is wrong "
      "they keep records for ever, or fetch the whole repository again each time.",
      "Let deletedRecord say what the repository does: no, transient or persistent."}},
    {{&kDeletedHeader},
     {"Harvesters that fetch records one by one, as those of Europeana and Dataverse do, "
      "take the deleted record for a living one, or the answer for a fault.",
      "Answer GetRecord of a deleted record by its header with status=\"deleted\", and "
      "nothing beside it."}},
    {{&kSetMembership, &kSetsListed},
     {"Harvesters that keep sets apart by the headers, as aggregators do, file records "
      "wrongly or not at all.",
      "Write the setSpecs of a record into its header, and list in ListSets each set that "
      "occurs."}},
    {{&kSetSpecForm, &kSetSpecUnique},
     {"A setSpec goes into addresses and is compared as text. One that is malformed or "
      "stands for two sets cannot be harvested by.",
      "Make setSpecs of letters, digits and -_.!~*'(), with colons between levels alone, "
      "each only once."}},
    {{&kSetNamed},
     {"People choose sets by their names; harvesters that validate refuse the list of sets.",
      "Give each set a setName."}},
    {{&kSetMinimal},
     {"Harvesters count the record in the parent twice.",
      "Leave a setSpec out where the header has one below it."}},
    {{&kSetSelects, &kSetDescends},
     {"Whoever harvests by set misses records and never learns of it.",
      "Let the list of a set hold all records of the set and of those below it, deleted "
      "ones, too."}},
    {{&kRangeInclusive, &kHeadersAlike},
     {"Incremental harvesters, which is nearly all, ask from the time of their last "
      "harvest. They miss records that a list leaves out, or fetch too many. Some, such as "
      "metha, ask month by month.",
      "Let a list hold what has from <= datestamp <= until, in ListIdentifiers as in "
      "ListRecords; as a rule the comparison is < where <= is due, or in local time."}},
    {{&kRangeOrder, &kSameGranularity, &kFinerIsError},
     {"A harvester with a wrong range takes the answer for what it asked, and misses "
      "records without notice.",
      "Answer by badArgument."}},
    {{&kDatestampTrue},
     {"Incremental harvesters meet a record with a datestamp in the future again and again, "
      "or not at all.",
      "Give datestamps in UTC, at the time when the record becomes visible; embargoed "
      "records appear when the embargo ends."}},
    {{&kBaseUrlForm},
     {"Harvesters put a question mark and the arguments behind the base URL. Behind a query "
      "or a fragment these are lost.",
      "Serve the repository at an address of http or https without ? and #, by a rule of "
      "the web server if need be."}},
    {{&kBothMethods, &kPostUnlimited},
     {"Harvesters send long tokens and identifiers by POST; with them they stop in the "
      "middle of a list.",
      "Read the arguments of a POST from its body, application/x-www-form-urlencoded, and "
      "treat them as those of GET."}},
    {{&kArgumentOrder, &kArgumentEncoding},
     {"Each harvester has its own order of arguments and escapes more or fewer characters. "
      "Some cannot harvest the repository at all.",
      "Split the query at &, decode %HH in names and values, in upper and lower case, and "
      "look arguments up by name."}},
    {{&kContentType},
     {"Harvesters in Java name text/html first in Accept by default. What gets HTML or "
      "another type than text/xml stops, or takes the page for an empty answer.",
      "Send Content-Type: text/xml; charset=UTF-8, whatever Accept says."}},
    {{&kStatusCodes},
     {"Harvesters such as Sickle and that of OpenAIRE take any other status for a fault of "
      "the server: they stop, or send the same request again and again.",
      "Answer errors of OAI-PMH with status 200 and an error element. A status of 5xx means "
      "that the program has failed; its log says why."}},
    {{&kRetryAfter},
     {"Without a time to wait, harvesters come again at once, or give up; the harvester of "
      "OpenAIRE needs a whole number of seconds.",
      "Send Retry-After: with seconds beside each 503."}},
    {{&kCompressionIsHttp, &kUncompressed},
     {"A harvester without a decoder gets bytes that are no XML, one with a decoder another "
      "list.",
      "Compress only if Accept-Encoding names the coding, and the same answer in both "
      "cases; best leave it to the web server."}},
    {{&kCompressionSaid, &kCompressionIdentity},
     {"Harvesters that read compression in Identify transfer ten times as much as need be, "
      "or ask for what there is not.",
      "Name gzip in a compression element if answers are compressed, and never identity."}},
    {{&kWellFormed},
     {"Every harvester stops at an answer that is not well-formed. That of OpenAIRE skips "
      "the whole page.",
      "Write &amp; &lt; &gt; and &quot; for these characters wherever a value is put into "
      "the answer, in errors, too, and leave out control characters."}},
    {{&kAdviceDoctype},
     {"Harvesters that guard themselves against external entities refuse every document with a "
      "DOCTYPE, and take nothing of such an answer.",
      "Leave the DOCTYPE out: the schema is named by xsi:schemaLocation."}},
    {{&kUtf8, &kXmlDeclaration},
     {"Parsers stop at the first wrong byte, or readers see wrong letters.",
      "Write UTF-8, declare it by <?xml version=\"1.0\" encoding=\"UTF-8\"?>, and cut texts "
      "at characters, not at bytes."}},
    {{&kSchemaValid},
     {"Harvesters that validate refuse the answer; others read elements that are in the "
      "wrong place as missing.",
      "Compare the answer with the schema: xmllint --schema OAI-PMH.xsd answer.xml tells "
      "the line."}},
    {{&kRoot, &kRootSchema, &kThirdChild},
     {"Harvesters look for the elements of OAI-PMH in its namespace; they find none, and "
      "take the list for empty.",
      "Begin with the root element OAI-PMH in the namespace "
      "http://www.openarchives.org/OAI/2.0/, with its schemaLocation, and put the answer "
      "into an element with the name of the verb."}},
    {{&kRequestIsBaseUrl, &kRequestKeys, &kRequestMatches, &kRequestBare},
     {"Tools that keep answers, and aggregators that write provenance, take from <request> "
      "what was asked and where. Harvesters that validate refuse values that were not "
      "legal.",
      "Write the baseURL into <request>, and the arguments as attributes: all of them if "
      "there is no error, none beside badVerb and badArgument."}},
    {{&kZone, &kDateForms, &kDaysAlways},
     {"A harvester in another form or time zone gets other records than it asked for, and "
      "misses some without notice. Metha asks by day.",
      "Take YYYY-MM-DD and, if the granularity is seconds, YYYY-MM-DDThh:mm:ssZ; answer all "
      "else by badArgument."}},
    {{&kDatestampForm, &kEarliestForm, &kGranularity},
     {"Harvesters build from and until in the granularity that Identify says, and compare "
      "datestamps as text.",
      "Write all datestamps in one granularity, that of Identify."}},
    {{&kResponseDate},
     {"Many harvesters, VuFind among them, take responseDate for the from of the next "
      "harvest. If it is in local time or ahead, they miss what changes meanwhile.",
      "Write the time of the answer in UTC, as 2024-05-06T07:08:09Z, without fractions."}},
    {{&kExpirationForm},
     {"Harvesters that wait between pages come with a token that has expired, or stop since "
      "they cannot read the date.",
      "Write expirationDate in UTC to the second, or leave it out."}},
    {{&kFormatSchema, &kMetadataNamespace, &kMetadataSchema, &kSchemaMatches},
     {"Harvesters choose how they read metadata by the namespace, and validators by the "
      "schema. Where these are missing or differ from the list of formats, records are "
      "refused or read as empty.",
      "Put the namespace of the format and xsi:schemaLocation, with the address that "
      "ListMetadataFormats gives, on the root element of the metadata."}},
    {{&kDublinCoreAlways, &kDublinCoreNamespace},
     {"Dublin Core is the one format that every harvester knows. Without it, most cannot "
      "use the repository.",
      "Offer oai_dc, with its namespace http://www.openarchives.org/OAI/2.0/oai_dc/, for "
      "every record."}},
    {{&kConcatenation, &kTokenResumes},
     {"Harvesters that follow the token meet records twice, miss others, or get records of "
      "another set, time or format, as if they were those that they asked for.",
      "Let the token carry the arguments of the first request and the place that was "
      "reached, and go on from there."}},
    {{&kLastTokenEmpty},
     {"A harvester cannot tell the end of the list from an answer that was cut off.",
      "End a list of several pages by an empty resumptionToken element."}},
    {{&kTokenMisused, &kBadToken},
     {"A harvester with an old or damaged token takes another list for the rest of its own, "
      "or none at all; VuFind comes with tokens that are days old.",
      "Answer a token that is unknown, expired, of another verb, or beside other arguments "
      "by badResumptionToken or badArgument."}},
    {{&kCursor},
     {"Harvesters that show progress, or check that they missed nothing, report faults.",
      "Give the number of records on the pages before, 0 on the first, or leave cursor out."}},
    {{&kTokenAgain},
     {"A harvester whose connection breaks sends the last token again, as most do; it loses "
      "the page, or the whole harvest.",
      "Keep a token good when it has been used; best hold no state, but write the place "
      "into the token."}},
    {{&kErrorElements, &kBadArgument, &kBadVerb, &kBadFormat, &kBadIdentifier, &kNoRecords,
      &kNoSetHierarchy},
     {"A harvester that has made a mistake, or asks for what there is not, takes the answer "
      "for what it wanted. By another code it does the wrong thing: it stops where it "
      "should go on, or drops records.",
      "Check arguments against what the verb takes, and answer by the code of section 3.6."}},
    {{&kGetRecord},
     {"Harvesters that fetch records one by one, as those of Europeana and Dataverse do, "
      "store other records than those that read lists.",
      "Make both from the same data; caches of one and not of the other are the usual "
      "cause."}},
    {{&kIdentifyElements, &kAdminEmail},
     {"Harvesters read Identify first, and many stop if something is missing. Nobody can be "
      "told of faults.",
      "Fill in Identify: a name, protocolVersion 2.0, and an address of mail that is read, "
      "without mailto:."}},
    {{&kEarliest},
     {"Harvesters that walk through time, such as metha, begin at earliestDatestamp and "
      "miss what is older.",
      "Set it to the datestamp of the oldest record, or before."}},
    {{&kDescriptionSchema},
     {"Programs that read descriptions cannot tell what they are; harvesters that validate "
      "refuse Identify.",
      "Put xsi:schemaLocation on the root of each description."}},
    {{&kItemFormats},
     {"Harvesters that ask which formats a record has get refused, or pass over formats "
      "that there are.",
      "Answer ListMetadataFormats with an identifier by what GetRecord gives."}},
    {{&kHttpHead},
     {"Monitors and link checkers send HEAD. What follows the header is taken for the next "
      "answer on that connection.",
      "Answer HEAD by status and header of GET, without a body; web servers do so if they "
      "are let."}},
    {{&kHttpVary},
     {"A proxy may give a compressed answer to a harvester that cannot read it.",
      "Send Vary: Accept-Encoding beside compressed answers."}},
    {{&kHttpPipeline},
     {"Clients and proxies that send requests without waiting mix up answers.",
      "Answer in the order of the requests, or close the connection behind each answer."}},
    {{&kRegisteredAddress},
     {"The registry at openarchives.org refuses an address that Identify does not confirm. "
      "Harvesters that follow baseURL go elsewhere.",
      "Set the baseURL to the address that is published: http or https, with or without a "
      "slash at the end."}},
    {{&kRegisteredScheme, &kRegisteredRoot, &kRegisteredSchema, &kRegisteredToken},
     {"The registry at openarchives.org refuses the repository.",
      "Give one oai-identifier description, a root element without a prefix and with the "
      "schemaLocation of the protocol by http, and no resumptionToken on a list of one page."}},
    {{&kAdviceEarliest},
     {"Harvesters that walk through time, such as metha, ask for hundreds of empty months.",
      "Set earliestDatestamp to the datestamp of the oldest record."}},
    {{&kAdviceDeletions},
     {"Portals keep showing what is gone; BASE asks for another value than no.",
      "Keep a header for each deleted record, at least for some months."}},
    {{&kAdviceIdentifiers},
     {"Resolvers of oai: identifiers are led astray.",
      "Write the repositoryIdentifier that the identifiers have."}},
    {{&kAdviceListed},
     {"Harvesters store the record twice, or show a tree of sets with a gap.",
      "Sort lists by something that is unique; list the parents of sets."}},
    {{&kAdviceSize},
     {"Harvesters that compare it with what they got report the harvest as incomplete.",
      "Count, or leave completeListSize out."}},
    {{&kAdviceLifetime},
     {"Slow harvesters cannot finish; BASE asks for 23 hours.",
      "Let tokens live for a day or more."}},
    {{&kAdviceToken},
     {"A harvester that reads two lists at a time loses one.",
      "Write the place into the token, rather than keep one for each harvester."}},
    {{&kAdviceRedirect},
     {"Simple harvesters do not follow redirects, or lose the arguments of a POST.",
      "Publish the address that answers."}},
    {{&kAdviceTolerant},
     {"Harvesters of some libraries cannot POST, or get a page of the web server where they "
      "expect XML.",
      "Read the type of a form up to its semicolon; answer a broken %HH by badArgument."}},
    {{&kAdviceQuick},
     {"The harvester of OpenAIRE waits 30 seconds for an answer.",
      "Make pages smaller, or find out what is slow: as a rule OFFSET in a query, which "
      "reads all that it passes over."}},
    {{&kAdviceContent},
     {"Portals show records without a title, without a link, or with marks such as "
      "&amp;amp; in their texts.",
      "Look at the record that is named, and at what makes Dublin Core of it."}},
};

}  // namespace

const Mending& mending_of(const Demand& demand) {
    const auto* const row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
        return std::find(r.demands.begin(), r.demands.end(), &demand) != r.demands.end();
    });
    if (row == std::end(kRows)) std::abort();
    return row->mending;
}

}  // namespace oai::validate
