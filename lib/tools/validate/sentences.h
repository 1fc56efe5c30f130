// SPDX-License-Identifier: MIT
// The sentences that the checks rest on, each with its place and its force. A check names one of
// them, so its severity cannot differ from that of its sentence. Paragraphs are counted from 1
// behind the heading of the section; what a list or a table behind a paragraph says belongs to it.
#pragma once

#include "tools/validate/demand.h"

namespace oai::validate::sentences {

using enum Severity;

inline constexpr Demand kUriIdentifier{
    kProtocolDocument, "2.4", "paragraph 2", must,
    "The format of the unique identifier must correspond to that of the URI ... "
    "syntax."};
inline constexpr Demand kResourceLink{
    kProtocolDocument, "2.4", "paragraph 4", should,
    "repositories should use an element in metadata records to establish a linkage between the "
    "record ... and the identifier (URL, URN, DOI, etc.) of the associated resource"};
inline constexpr Demand kRecordIsMetadata{kProtocolDocument, "2.5", "paragraph 1", must,
                                          "A record is metadata expressed in a single format."};
inline constexpr Demand kRecordUnambiguous{
    kProtocolDocument, "2.5", "paragraph 1", must,
    "A record is identified unambiguously by the combination of the unique identifier "
    "..., the metadataPrefix ..., and the datestamp of the record."};
inline constexpr Demand kAboutSchema{
    kProtocolDocument, "2.5", "paragraph 1, about", must,
    "The contents of an about container must conform to an XML Schema."};
inline constexpr Demand kDeletedLevels{
    kProtocolDocument, "2.5.1", "paragraph 1", must,
    "Repositories must declare one of three levels of support for deleted records in "
    "the deletedRecord element"};
inline constexpr Demand kNoDeletions{
    kProtocolDocument, "2.5.1", "paragraph 1, no", must,
    "A repository that indicates this level of support must not reveal a deleted "
    "status in any response."};
inline constexpr Demand kDeletedHeader{
    kProtocolDocument, "2.5.1", "paragraph 2", must,
    "Responses to GetRecord request for a deleted record must then include a header "
    "with the attribute status=\"deleted\", and must not include metadata or about "
    "parts."};
inline constexpr Demand kSetMembership{
    kProtocolDocument, "2.6", "paragraph 1", must,
    "it must include set membership information in the headers of items returned"};
inline constexpr Demand kSetSpecForm{
    kProtocolDocument, "2.6", "paragraph 2, setSpec", must,
    "Each element in the list is a string consisting of any valid URI unreserved "
    "characters, which must not contain any colons"};
inline constexpr Demand kSetSpecUnique{kProtocolDocument, "2.6", "paragraph 2, setSpec", must,
                                       "it must be unique for each set"};
inline constexpr Demand kSetsListed{
    kProtocolDocument, "2.6", "paragraph 7", must,
    "ListSets returns a list indicating the configuration of sets in a repository."};
inline constexpr Demand kSetNamed{kProtocolDocument, "2.6", "paragraph 7", must,
                                  "Each member of this list must include a setSpec and a setName"};
inline constexpr Demand kSetMinimal{
    kProtocolDocument, "2.6", "paragraph 7, first item", should,
    "The list of setSpec elements should include only the minimum number of setSpec elements "
    "required to specify the set membership."};
inline constexpr Demand kRangeInclusive{
    kProtocolDocument, "2.7.1", "paragraph 1", must,
    "Range limits are inclusive: from ... must be interpreted as \"greater than or "
    "equal to\", until ... as \"less than or equal to\"."};
inline constexpr Demand kRangeOrder{
    kProtocolDocument, "2.7.1", "paragraph 1", must,
    "the from argument must be less than or equal to the until argument. Otherwise, a "
    "repository must issue a badArgument error."};
inline constexpr Demand kHeadersAlike{
    kProtocolDocument, "2.7.1", "paragraph 3", must,
    "The response to a ListIdentifiers request follows the same rules but is "
    "abbreviated to include only headers rather than records."};
inline constexpr Demand kDatestampTrue{
    kProtocolDocument, "2.7.1", "paragraph 4", must,
    "a datestamp, which reflects the most recent date and time of the creation, "
    "modification, or deletion"};
inline constexpr Demand kSetSelects{
    kProtocolDocument, "2.7.2", "paragraph 2", must,
    "the response must include: the records ... available from those items in the set "
    "specified by the setSpec"};
inline constexpr Demand kSetDescends{
    kProtocolDocument, "2.7.2", "paragraph 2", must,
    "the response must include: ... the records ... available from those items in "
    "sets that are descendant from the specified set"};
inline constexpr Demand kBaseUrlForm{
    kProtocolDocument, "3.1.1", "paragraph 1", must,
    "The base URL specifies the Internet host and port, and optionally a path, of an "
    "HTTP server acting as a repository."};
inline constexpr Demand kBothMethods{kProtocolDocument, "3.1.1", "paragraph 1", must,
                                     "Repositories must support both the GET and POST methods."};
inline constexpr Demand kPostUnlimited{
    kProtocolDocument, "3.1.1", "paragraph 1", must,
    "POST has the advantage of imposing no limitations on the length of arguments."};
inline constexpr Demand kArgumentOrder{
    kProtocolDocument, "3.1.1", "paragraph 2", must,
    "Arguments may appear in any order and multiple arguments must be separated by "
    "ampersands"};
inline constexpr Demand kArgumentEncoding{
    kProtocolDocument, "3.1.1.3", "paragraph 2", must,
    "these characters must be represented by their respective escape sequence ... for "
    "both the GET and POST encoding"};
inline constexpr Demand kContentType{
    kProtocolDocument, "3.1.2.1", "paragraph 1", must,
    "The Content-Type returned for all OAI-PMH requests must be text/xml."};
inline constexpr Demand kStatusCodes{
    kProtocolDocument, "3.1.2.2", "paragraph 1", must,
    "OAI-PMH errors are distinguished from HTTP Status-Codes. ... servers implementing OAI-PMH "
    "must conform to HTTP status code definitions"};
inline constexpr Demand kRetryAfter{kProtocolDocument, "3.1.2.2", "paragraph 1, 503", should,
                                    "Service unavailable, a Retry-After period is specified."};
inline constexpr Demand kCompressionIsHttp{
    kProtocolDocument, "3.1.3", "paragraph 1", must,
    "Compression of responses to OAI-PMH requests is handled at the level of HTTP"};
inline constexpr Demand kUncompressed{
    kProtocolDocument, "3.1.3", "paragraph 1, second item", must,
    "Harvesters that do not include an Accept-Encoding header in their requests will "
    "always receive uncompressed responses."};
inline constexpr Demand kCompressionSaid{
    kProtocolDocument, "3.1.3", "paragraph 1, fifth item", should,
    "Repositories should express the encodings they support ... by including "
    "compression elements in the Identify response."};
inline constexpr Demand kWellFormed{
    kProtocolDocument, "3.2", "paragraph 1", must,
    "All responses to OAI-PMH requests must be well-formed XML instance documents."};
inline constexpr Demand kUtf8{kProtocolDocument, "3.2", "paragraph 1", must,
                              "Encoding of the XML must use the UTF-8 representation of Unicode."};
inline constexpr Demand kSchemaValid{
    kProtocolDocument, "3.2", "paragraph 2", must,
    "The XML data for all responses to OAI-PMH requests must validate against the XML "
    "Schema"};
inline constexpr Demand kXmlDeclaration{
    kProtocolDocument, "3.2", "paragraph 2, declaration", must,
    "The first tag output is an XML declaration where the version is always 1.0 and "
    "the encoding is always UTF-8"};
inline constexpr Demand kRoot{
    kProtocolDocument, "3.2", "paragraph 2, root", must,
    "a root element with the name OAI-PMH ... xmlns -- the value of which must be the "
    "namespace URI of the OAI-PMH"};
inline constexpr Demand kRootSchema{
    kProtocolDocument, "3.2", "paragraph 2, root", must,
    "xsi:schemaLocation -- is a pair ... and the second part is the URL of the XML "
    "schema for validation of the response"};
inline constexpr Demand kRequestIsBaseUrl{
    kProtocolDocument, "3.2", "paragraph 2, first rule of request", must,
    "The content of the request element must always be the base URL of the protocol "
    "request"};
inline constexpr Demand kRequestKeys{
    kProtocolDocument, "3.2", "paragraph 2, second rule of request", must,
    "The only valid attributes for the request element are the keys of the key=value "
    "pairs of protocol request."};
inline constexpr Demand kRequestMatches{
    kProtocolDocument, "3.2", "paragraph 2, third rule of request", must,
    "In cases where the request ... did not result in an error ..., the attributes "
    "... must match the key=value pairs"};
inline constexpr Demand kRequestBare{
    kProtocolDocument, "3.2", "paragraph 2, fourth rule of request", must,
    "badVerb or badArgument ... Attributes must not be provided in these cases."};
inline constexpr Demand kThirdChild{
    kProtocolDocument, "3.2", "paragraph 2, third child", must,
    "an element with the same name as the verb of the respective OAI-PMH request"};
inline constexpr Demand kZone{
    kProtocolDocument, "3.3", "paragraph 1", must,
    "When time is included, the special UTC designator (\"Z\") must be used."};
inline constexpr Demand kDateForms{
    kProtocolDocument, "3.3.1", "paragraph 1", must,
    "The legitimate formats are YYYY-MM-DD and YYYY-MM-DDThh:mm:ssZ."};
inline constexpr Demand kSameGranularity{kProtocolDocument, "3.3.1", "paragraph 1", must,
                                         "Both arguments must have the same granularity."};
inline constexpr Demand kDaysAlways{kProtocolDocument, "3.3.1", "paragraph 1", must,
                                    "All repositories must support YYYY-MM-DD."};
inline constexpr Demand kFinerIsError{
    kProtocolDocument, "3.3.1", "paragraph 1", must,
    "A request by a harvester with finer granularity than that supported by a "
    "repository must produce an error."};
inline constexpr Demand kDatestampForm{
    kProtocolDocument, "3.3.2", "paragraph 1", must,
    "they must be expressed in the finest granularity supported by the repository"};
inline constexpr Demand kResponseDate{
    kProtocolDocument, "3.3.2", "paragraph 2", must,
    "a responseDate element, which must be the time and date of the response in UTC "
    "... This format is YYYY-MM-DDThh:mm:ssZ."};
inline constexpr Demand kExpirationForm{
    kProtocolDocument, "3.3.2", "paragraph 3", must,
    "expirationDate, which is expressed in UTC ... This format is YYYY-MM- "
    "DDThh:mm:ssZ."};
inline constexpr Demand kFormatSchema{
    kProtocolDocument, "3.4", "paragraph 1", must,
    "the URL of an XML schema to test validity of metadata expressed according to the "
    "format"};
inline constexpr Demand kMetadataNamespace{
    kProtocolDocument, "3.4", "paragraph 2", must,
    "the root element of the metadata part must contain an xmlns attribute, the value "
    "of which is the XML namespace URI of the metadata format"};
inline constexpr Demand kMetadataSchema{
    kProtocolDocument, "3.4", "paragraph 2", must,
    "The root element must also contain an xsi:schemaLocation attribute"};
inline constexpr Demand kSchemaMatches{
    kProtocolDocument, "3.4", "paragraph 2", must,
    "This URL must match the URL of the metadata schema for the metadataPrefix included as an "
    "argument"};
inline constexpr Demand kDublinCoreAlways{
    kProtocolDocument, "3.4", "paragraph 3", must,
    "repositories must disseminate Dublin Core, without any qualification"};
inline constexpr Demand kDublinCoreNamespace{kProtocolDocument, "3.4", "paragraph 3", must,
                                             "The corresponding XML namespace URI is "
                                             "http://www.openarchives.org/OAI/2.0/oai_dc/."};
inline constexpr Demand kConcatenation{
    kProtocolDocument, "3.5", "paragraph 1", must,
    "The complete list then consists of the concatenation of the incomplete lists"};
inline constexpr Demand kTokenResumes{
    kProtocolDocument, "3.5", "paragraph 2, first item", must,
    "the next request must use the value of that resumptionToken element as the value "
    "of the resumptionToken argument"};
inline constexpr Demand kLastTokenEmpty{
    kProtocolDocument, "3.5", "paragraph 2, first item", must,
    "the response containing the incomplete list that completes the list must include "
    "an empty resumptionToken element"};
inline constexpr Demand kTokenMisused{
    kProtocolDocument, "3.5", "paragraph 2, first item", must,
    "All other uses of resumptionToken by a harvester are illegal and must return an "
    "error."};
inline constexpr Demand kCursor{
    kProtocolDocument, "3.5", "paragraph 3, cursor", must,
    "a count of the number of elements of the complete list thus far returned (i.e. "
    "cursor starts at 0)"};
inline constexpr Demand kTokenAgain{
    kProtocolDocument, "3.5.1", "paragraph 1", must,
    "the repository must return the same incomplete list when the most recent list "
    "request ... is re-issued"};
inline constexpr Demand kErrorElements{
    kProtocolDocument, "3.6", "paragraph 1", must,
    "repositories must indicate OAI-PMH errors, distinguished from HTTP Status-Codes, "
    "by including one or more error elements in the response"};
inline constexpr Demand kBadArgument{
    kProtocolDocument, "3.6", "paragraph 1, badArgument", must,
    "The request includes illegal arguments, is missing required arguments, includes "
    "a repeated argument, or values for arguments have an illegal syntax."};
inline constexpr Demand kBadToken{
    kProtocolDocument, "3.6", "paragraph 1, badResumptionToken", must,
    "The value of the resumptionToken argument is invalid or expired."};
inline constexpr Demand kBadVerb{
    kProtocolDocument, "3.6", "paragraph 1, badVerb", must,
    "Value of the verb argument is not a legal OAI-PMH verb, the verb argument is "
    "missing, or the verb argument is repeated."};
inline constexpr Demand kBadFormat{
    kProtocolDocument, "3.6", "paragraph 1, cannotDisseminateFormat", must,
    "The metadata format ... is not supported by the item or by the repository."};
inline constexpr Demand kBadIdentifier{
    kProtocolDocument, "3.6", "paragraph 1, idDoesNotExist", must,
    "The value of the identifier argument is unknown or illegal in this repository."};
inline constexpr Demand kNoRecords{
    kProtocolDocument, "3.6", "paragraph 1, noRecordsMatch", must,
    "The combination of the values of the from, until, set and metadataPrefix "
    "arguments results in an empty list."};
inline constexpr Demand kNoSetHierarchy{kProtocolDocument, "3.6", "paragraph 1, noSetHierarchy",
                                        must, "The repository does not support sets."};
inline constexpr Demand kGetRecord{
    kProtocolDocument, "4.1", "summary", must,
    "This verb is used to retrieve an individual metadata record from a repository."};
inline constexpr Demand kIdentifyElements{
    kProtocolDocument, "4.2", "response format, paragraph 1", must,
    "The response must include one instance of the following elements"};
inline constexpr Demand kEarliest{
    kProtocolDocument, "4.2", "response format, paragraph 1, earliestDatestamp", must,
    "A repository must not use datestamps lower than the one specified by the content "
    "of the earliestDatestamp element."};
inline constexpr Demand kEarliestForm{
    kProtocolDocument, "4.2", "response format, paragraph 1, earliestDatestamp", must,
    "earliestDatestamp must be expressed at the finest granularity supported by the "
    "repository."};
inline constexpr Demand kGranularity{
    kProtocolDocument, "4.2", "response format, paragraph 1, granularity", must,
    "The legitimate values are YYYY-MM-DD and YYYY-MM-DDThh:mm:ssZ"};
inline constexpr Demand kAdminEmail{
    kProtocolDocument, "4.2", "response format, paragraph 2", must,
    "The response must include one or more instances of ... adminEmail : the e-mail "
    "address of an administrator"};
inline constexpr Demand kCompressionIdentity{
    kProtocolDocument, "4.2", "response format, paragraph 3", should,
    "A compression element should not be included for the identity encoding, which is "
    "implied."};
inline constexpr Demand kDescriptionSchema{
    kProtocolDocument, "4.2", "response format, paragraph 3", must,
    "Each description container must be accompanied by the URL of an XML schema"};
inline constexpr Demand kItemFormats{
    kProtocolDocument, "4.4", "arguments", must,
    "the unique identifier of the item for which available metadata formats are being "
    "requested"};
inline constexpr Demand kHttpHead{
    kHttpDocument, "", "RFC 9110, 9.3.2", should,
    "The HEAD method is identical to GET except that the server MUST NOT send content "
    "in the response."};
inline constexpr Demand kHttpVary{
    kHttpDocument, "", "RFC 9110, 12.5.5", should,
    "An origin server SHOULD generate a Vary header field on a cacheable response "
    "when it wishes that response to be selectively reused"};
inline constexpr Demand kHttpPipeline{
    kHttpDocument, "", "RFC 9112, 9.3.2", should,
    "A server ... MUST send the corresponding responses in the same order that the requests were "
    "received."};
inline constexpr Demand kRegisteredAddress{
    kRegistration, "", "", should,
    "The address that is registered is the baseURL of Identify, byte for byte."};
inline constexpr Demand kRegisteredScheme{kRegistration, "", "", should,
                                          "Identify has one oai-identifier description at most."};
inline constexpr Demand kRegisteredRoot{kRegistration, "", "", should,
                                        "The root element OAI-PMH has no prefix."};
inline constexpr Demand kRegisteredSchema{
    kRegistration, "", "", should,
    "xsi:schemaLocation of the root has http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd."};
inline constexpr Demand kRegisteredToken{
    kRegistration, "", "", should,
    "No response to a request without a resumptionToken has an empty one."};
inline constexpr Demand kAdviceEarliest{
    kAdvice, "", "", advice, "earliestDatestamp is a date at which there was a repository."};
inline constexpr Demand kAdviceDeletions{
    kAdvice, "", "", advice,
    "Deletions are told, at least for a time (deletedRecord is transient or "
    "persistent)."};
inline constexpr Demand kAdviceIdentifiers{
    kAdvice, "", "", advice, "Identifiers are as the oai-identifier description says."};
inline constexpr Demand kAdviceListed{
    kAdvice, "", "", advice,
    "A list names each record once, and ListSets each set that another stands below."};
inline constexpr Demand kAdviceSize{kAdvice, "", "", advice,
                                    "completeListSize, if it is given, is the size of the list."};
inline constexpr Demand kAdviceLifetime{kAdvice, "", "", advice, "Tokens live for a day."};
inline constexpr Demand kAdviceToken{kAdvice, "", "", advice,
                                     "A token stays good whatever else is asked meanwhile."};
inline constexpr Demand kAdviceRedirect{kAdvice, "", "", advice,
                                        "The base URL answers by itself, without a redirect."};
inline constexpr Demand kAdviceTolerant{
    kAdvice, "", "", advice,
    "Requests are read with tolerance: a charset beside the type of a form, a broken "
    "escape."};
inline constexpr Demand kAdviceDoctype{kAdvice, "", "", advice, "No answer has a DOCTYPE."};
inline constexpr Demand kAdviceQuick{kAdvice, "", "", advice,
                                     "No answer takes longer than 30 seconds."};
inline constexpr Demand kAdviceContent{
    kAdvice, "", "", advice,
    "Dublin Core says something, once encoded, and links to what it describes."};

}  // namespace oai::validate::sentences
